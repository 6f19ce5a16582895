package dev.sluice.server.resp;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A command as it was sent: its name and arguments, all of them bytes. Never empty. */
final class Command {
  private static final int LONGEST_NUMBER = 20;

  private final byte[][] words;

  Command(byte[][] words) {
    this.words = words;
  }

  /** How many words there are, the name included. */
  int size() {
    return words.length;
  }

  byte[] bytes(int i) {
    return words[i];
  }

  /** A word as text that differs for different bytes: see {@link KeyText}. */
  String text(int i) {
    return KeyText.of(words[i]);
  }

  /** The name of a command, a subcommand or an option, in capitals. */
  String name(int i) {
    return new String(words[i], StandardCharsets.ISO_8859_1).toUpperCase(Locale.ROOT);
  }

  /**
   * A word as a whole number.
   *
   * @throws NumberFormatException if it is none, or does not fit
   */
  long number(int i) {
    byte[] word = words[i];
    int length = word.length;
    boolean negative = length > 0 && word[0] == '-';
    int start = negative || (length > 0 && word[0] == '+') ? 1 : 0;
    if (length == start || length > LONGEST_NUMBER) {
      throw new NumberFormatException();
    }
    if (length - start > 18) {
      return Long.parseLong(new String(word, StandardCharsets.ISO_8859_1));
    }
    long value = 0;
    for (int at = start; at < length; at++) {
      int digit = word[at] - '0';
      if (digit < 0 || digit > 9) {
        throw new NumberFormatException();
      }
      value = 10 * value + digit;
    }
    return negative ? -value : value;
  }
}
