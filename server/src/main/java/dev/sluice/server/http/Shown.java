package dev.sluice.server.http;

/** What a caller sent, as problems show it to him: as much as he needs to know it again. */
final class Shown {
  private static final int LONGEST = 40;

  private Shown() {}

  static String of(String sent) {
    if (sent.length() <= LONGEST) {
      return sent;
    }
    // Half a character is none.
    int end = Character.isHighSurrogate(sent.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    return sent.substring(0, end) + "…";
  }
}
