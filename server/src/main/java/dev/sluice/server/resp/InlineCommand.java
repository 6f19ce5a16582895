package dev.sluice.server.resp;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A command typed as a line, for people with telnet: words between spaces, in quotes where needed,
 * with the escapes that Redis knows.
 */
final class InlineCommand {
  private final byte[] line;
  private int at;

  private InlineCommand(byte[] line) {
    this.line = line;
  }

  static List<byte[]> words(byte[] line) throws ProtocolException {
    InlineCommand command = new InlineCommand(line);
    List<byte[]> words = new ArrayList<>();
    while (command.skipSpaces()) {
      words.add(command.word());
    }
    return words;
  }

  private boolean skipSpaces() {
    while (at < line.length && isSpace(line[at])) {
      at++;
    }
    return at < line.length;
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r') || b == 0;
  }

  private byte[] word() throws ProtocolException {
    ByteArrayOutputStream word = new ByteArrayOutputStream();
    while (at < line.length && !isSpace(line[at])) {
      byte b = line[at++];
      if (b == '"' || b == '\'') {
        quoted(b, word);
        if (at < line.length && !isSpace(line[at])) {
          throw unbalanced();
        }
      } else {
        word.write(b);
      }
    }
    return word.toByteArray();
  }

  private void quoted(byte quote, ByteArrayOutputStream word) throws ProtocolException {
    while (at < line.length) {
      byte b = line[at++];
      if (b == quote) {
        return;
      }
      boolean escapes = b == '\\' && at < line.length;
      if (escapes && quote == '"') {
        escaped(word);
      } else if (escapes && line[at] == '\'') {
        word.write(line[at++]);
      } else {
        word.write(b);
      }
    }
    throw unbalanced();
  }

  private void escaped(ByteArrayOutputStream word) {
    byte b = line[at++];
    if (b == 'x' && at + 1 < line.length && hex(line[at]) >= 0 && hex(line[at + 1]) >= 0) {
      word.write(16 * hex(line[at]) + hex(line[at + 1]));
      at += 2;
      return;
    }
    word.write(
        switch (b) {
          case 'n' -> '\n';
          case 'r' -> '\r';
          case 't' -> '\t';
          case 'b' -> '\b';
          case 'a' -> 7;
          default -> b;
        });
  }

  private static int hex(byte b) {
    return b < 0 ? -1 : Character.digit(b, 16);
  }

  private static ProtocolException unbalanced() {
    return new ProtocolException("Protocol error: unbalanced quotes in request");
  }
}
