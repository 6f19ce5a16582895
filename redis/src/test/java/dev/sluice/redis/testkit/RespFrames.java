package dev.sluice.redis.testkit;

/**
 * Finds where one RESP message ends and the next begins in a stream that comes in pieces.
 *
 * <p>Knows the types of RESP2 and RESP3. A stream that is something else (TLS, inline commands) is
 * opaque: every piece then counts as one message. For one thread.
 */
final class RespFrames {
  private static final String TYPES = "+-:$*_#,(!=%~>|";

  private long valuesLeft; // of the message under way; 0 between messages
  private long bodyLeft; // bytes of a bulk string still to skip, with its line end
  private char type; // of the line under way; 0 between lines
  private long number;
  private boolean negative;
  private boolean opaque;

  /** Whether the next byte begins a message. */
  boolean atStart() {
    return valuesLeft == 0;
  }

  /**
   * Reads on till the end of the message under way.
   *
   * @return the index after its last byte, or the length if the piece ends inside it: {@link
   *     #atStart()} tells which
   */
  int next(byte[] piece, int from) {
    int i = from;
    if (atStart()) {
      opaque |= TYPES.indexOf(piece[i]) < 0;
      valuesLeft = 1;
    }
    if (opaque) {
      valuesLeft = 0;
      return piece.length;
    }
    while (i < piece.length && valuesLeft > 0) {
      if (bodyLeft > 0) {
        long skipped = Math.min(bodyLeft, piece.length - i);
        i += (int) skipped;
        bodyLeft -= skipped;
        valuesLeft -= bodyLeft == 0 ? 1 : 0;
      } else {
        header((char) piece[i]);
        i++;
      }
    }
    return i;
  }

  private void header(char c) {
    if (type == 0) {
      type = c;
      number = 0;
      negative = false;
    } else if (c == '-') {
      negative = true;
    } else if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0'); // Of no meaning, and unused, in lines of text.
    } else if (c == '\n') {
      endOfLine();
      type = 0;
    }
  }

  private void endOfLine() {
    switch (type) {
      case '$', '!', '=' -> {
        if (negative) {
          valuesLeft--;
        } else {
          bodyLeft = number + 2;
        }
      }
      case '*', '~', '>' -> valuesLeft += negative ? -1 : number - 1;
      case '%' -> valuesLeft += 2 * number - 1;
      case '|' -> valuesLeft += 2 * number; // Attributes precede a value and are none.
      default -> valuesLeft--;
    }
  }
}
