package dev.sluice.server.resp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * A command as it was sent: its name and arguments, all of them bytes. Never empty.
 *
 * <p>The bytes stay where they arrived, and the parser uses this object again: a command is good
 * until the next one is read, so whoever answers later takes what is needed before.
 */
final class Command {
  private static final int LONGEST_NUMBER = 20;
  private static final int USUAL_WORDS = 16;

  private byte[] bytes = {};
  // Where the words are counted from: a command that trickles in may move with its buffer.
  private int base;
  private int[] starts = new int[USUAL_WORDS];
  private int[] ends = new int[USUAL_WORDS];
  private int size;

  /** Forgets the words. */
  void clear() {
    size = 0;
    if (starts.length > USUAL_WORDS) {
      starts = new int[USUAL_WORDS];
      ends = new int[USUAL_WORDS];
    }
  }

  /** Adds a word that begins and ends so many bytes from the base. */
  void add(int start, int end) {
    if (size == starts.length) {
      starts = Arrays.copyOf(starts, 2 * size);
      ends = Arrays.copyOf(ends, 2 * size);
    }
    starts[size] = start;
    ends[size] = end;
    size++;
  }

  /** Tells where the bytes are, and the base. */
  void in(byte[] array, int from) {
    bytes = array;
    base = from;
  }

  /** How many words there are, the name included. */
  int size() {
    return size;
  }

  byte[] bytes(int i) {
    return Arrays.copyOfRange(bytes, start(i), end(i));
  }

  /** Whether a word has these bytes. */
  boolean is(int i, byte[] word) {
    return Arrays.equals(bytes, start(i), end(i), word, 0, word.length);
  }

  /** All words after the i-th as they were sent, lengths included: no others are sent so. */
  byte[] after(int i) {
    return Arrays.copyOfRange(bytes, end(i), end(size - 1));
  }

  /** Whether {@link #after} gives these bytes. */
  boolean isAfter(int i, byte[] sent) {
    return Arrays.equals(bytes, end(i), end(size - 1), sent, 0, sent.length);
  }

  /** A word as text that differs for different bytes: see {@link KeyText}. */
  String text(int i) {
    return KeyText.of(bytes, start(i), end(i));
  }

  /** The name of a command, a subcommand or an option, in capitals. */
  String name(int i) {
    return latin1(i).toUpperCase(Locale.ROOT);
  }

  /**
   * A word as a whole number.
   *
   * @throws NumberFormatException if it is none, or does not fit
   */
  long number(int i) {
    int start = start(i);
    int end = end(i);
    boolean negative = start < end && bytes[start] == '-';
    int first = negative || (start < end && bytes[start] == '+') ? start + 1 : start;
    if (first == end || end - start > LONGEST_NUMBER) {
      throw new NumberFormatException();
    }
    if (end - first > 18) {
      return Long.parseLong(latin1(i));
    }
    long value = 0;
    for (int at = first; at < end; at++) {
      int digit = bytes[at] - '0';
      if (digit < 0 || digit > 9) {
        throw new NumberFormatException();
      }
      value = 10 * value + digit;
    }
    return negative ? -value : value;
  }

  private String latin1(int i) {
    return new String(bytes, start(i), end(i) - start(i), StandardCharsets.ISO_8859_1);
  }

  private int start(int i) {
    return base + starts[i];
  }

  private int end(int i) {
    return base + ends[i];
  }
}
