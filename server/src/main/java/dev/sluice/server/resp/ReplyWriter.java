package dev.sluice.server.resp;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes replies in the protocol version that the connection has chosen. Those that leave together
 * are put together in an array, where a byte costs next to nothing, and copied at once: a copy into
 * a buffer outside the heap costs as much as writing several replies.
 */
final class ReplyWriter {
  private static final int USUAL = 256;
  private static final int LARGEST_KEPT = 4096;
  // ":-9223372036854775808\r\n"
  private static final int LONGEST_NUMBER = 23;
  private static final int MOST_DIGITS = 19;

  private final Session session;
  private byte[] bytes = new byte[USUAL];
  private int length;

  ReplyWriter(Session session) {
    this.session = session;
  }

  /** How many bytes are to be moved. */
  int length() {
    return length;
  }

  /** Moves what was written to the end of a buffer. */
  void moveTo(ByteBuf out) {
    out.writeBytes(bytes, 0, length);
    length = 0;
    if (bytes.length > LARGEST_KEPT) {
      bytes = new byte[USUAL];
    }
  }

  void simple(String text) {
    line('+', text);
  }

  void error(String text) {
    line('-', Printable.of(text));
  }

  void integer(long value) {
    number(':', value);
  }

  void bulk(byte[] text) {
    number('$', text.length);
    add(text);
    end();
  }

  void bulk(String text) {
    bulk(text.getBytes(StandardCharsets.UTF_8));
  }

  void nothing() {
    if (session.isResp3()) {
      line('_', "");
    } else {
      number('$', -1);
    }
  }

  void array(int size) {
    number('*', size);
  }

  /** Begins {@code size} items in no order; RESP2 has them in an array. */
  void set(int size) {
    number(session.isResp3() ? '~' : '*', size);
  }

  /** Begins {@code pairs} pairs of a name and a value; RESP2 has them in one flat array. */
  void map(int pairs) {
    if (session.isResp3()) {
      number('%', pairs);
    } else {
      array(2 * pairs);
    }
  }

  /** The last digit first; of a number that is not positive, so that the least one has its own. */
  private void number(char type, long value) {
    makeRoom(LONGEST_NUMBER);
    bytes[length++] = (byte) type;
    if (value < 0) {
      bytes[length++] = '-';
    }
    long rest = value < 0 ? value : -value;
    int digits = digits(rest);
    for (int at = length + digits - 1; at >= length; at--) {
      bytes[at] = (byte) ('0' - rest % 10);
      rest /= 10;
    }
    length += digits;
    end();
  }

  private static int digits(long negative) {
    int digits = 1;
    for (long power = -10; digits < MOST_DIGITS && negative <= power; power *= 10) {
      digits++;
    }
    return digits;
  }

  private void line(char type, String text) {
    makeRoom(1);
    bytes[length++] = (byte) type;
    add(text.getBytes(StandardCharsets.US_ASCII));
    end();
  }

  private void add(byte[] more) {
    makeRoom(more.length);
    System.arraycopy(more, 0, bytes, length, more.length);
    length += more.length;
  }

  private void end() {
    makeRoom(2);
    bytes[length++] = '\r';
    bytes[length++] = '\n';
  }

  private void makeRoom(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }
}
