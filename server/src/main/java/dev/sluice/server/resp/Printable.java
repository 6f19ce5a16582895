package dev.sluice.server.resp;

import java.nio.charset.StandardCharsets;

/** Text of others inside error replies, which are one line of ASCII. */
final class Printable {
  private static final int LONGEST = 128;

  private Printable() {}

  static String of(byte[] bytes) {
    int length = Math.min(bytes.length, LONGEST);
    return of(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
  }

  static String of(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.chars().forEach(c -> safe.append(of((char) c)));
    return safe.toString();
  }

  static char of(char c) {
    return c >= ' ' && c <= '~' ? c : c == '\r' || c == '\n' || c == '\t' ? ' ' : '?';
  }
}
