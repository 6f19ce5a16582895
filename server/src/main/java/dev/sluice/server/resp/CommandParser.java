package dev.sluice.server.resp;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds commands in the bytes of a connection, in whatever pieces they arrive. The bytes of a
 * command stay in the buffer until it is whole; what has been read of it is remembered, so a
 * command that trickles in is never read twice. Error texts are Redis'.
 *
 * <p>The bytes must be in a buffer with an array: of that a byte costs next to nothing.
 */
final class CommandParser {
  static final int MOST_WORDS = 1024;
  static final int LONGEST_WORD = 64 * 1024;
  // All words of a command together: without this bound they could hold 64 MiB.
  static final int LONGEST_COMMAND = 1024 * 1024;
  private static final int LONGEST_COUNT = 32;
  // Fewer than can overflow; longer ones are read with care.
  private static final int MOST_DIGITS = 9;
  private static final int UNKNOWN = -1;
  private static final long INCOMPLETE = Long.MIN_VALUE;
  private static final byte[] NONE = {};
  private static final byte[] LINE_END = {'\r', '\n'};

  private final Command command = new Command();
  // Words of the command that was begun, 0 between commands; and how many bytes were read of it.
  private int words;
  private int read;
  private int size;
  private int wordLength = UNKNOWN;

  // While a buffer is read: its array, the first byte not yet taken, the next one, and the end.
  private byte[] bytes = NONE;
  private int begin;
  private int at;
  private int end;

  /** Whether a command has been begun. */
  boolean isInside() {
    return words > 0;
  }

  /**
   * The next command, or null if the bytes end before it does. It is good until this is called
   * again, or the buffer is changed.
   */
  @Nullable Command next(ByteBuf in) throws ProtocolException {
    int offset = in.arrayOffset();
    bytes = in.array();
    begin = offset + in.readerIndex();
    at = begin + read;
    end = offset + in.writerIndex();
    try {
      return isNext() ? command : null;
    } finally {
      if (words == 0) {
        in.readerIndex(at - offset);
        read = 0;
      } else {
        read = at - begin;
      }
      bytes = NONE;
    }
  }

  private boolean isNext() throws ProtocolException {
    while (words == 0) {
      if (at == end) {
        return false;
      }
      if (bytes[at] != '*') {
        byte[] line = line(LONGEST_WORD, "too big inline request");
        if (line == null) {
          return false;
        }
        if (inline(InlineCommand.words(line))) {
          return true;
        }
        continue;
      }
      long count = count("too big mbulk count string", "invalid multibulk length");
      if (count == INCOMPLETE) {
        return false;
      }
      if (count > MOST_WORDS) {
        throw new ProtocolException("Protocol error: invalid multibulk length");
      }
      // As in Redis, an empty or absent array is no command, and not an error.
      if (count > 0) {
        words = (int) count;
        size = 0;
        command.clear();
      }
    }
    return rest();
  }

  private boolean inline(List<byte[]> typed) throws ProtocolException {
    if (typed.size() > MOST_WORDS) {
      throw new ProtocolException("Protocol error: invalid multibulk length");
    }
    command.clear();
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    for (byte[] word : typed) {
      // As clients send it, see Command.after.
      sent.writeBytes(("$" + word.length + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
      command.add(sent.size(), sent.size() + word.length);
      sent.writeBytes(word);
      sent.writeBytes(LINE_END);
    }
    command.in(sent.toByteArray(), 0);
    return !typed.isEmpty();
  }

  private boolean rest() throws ProtocolException {
    while (command.size() < words) {
      if (wordLength == UNKNOWN && !wordLength()) {
        return false;
      }
      if (end - at < wordLength + 2) {
        return false;
      }
      int start = at - begin;
      command.add(start, start + wordLength);
      at += wordLength + 2;
      wordLength = UNKNOWN;
    }
    words = 0;
    command.in(bytes, begin);
    return true;
  }

  private boolean wordLength() throws ProtocolException {
    if (at == end) {
      return false;
    }
    byte type = bytes[at];
    if (type != '$') {
      throw new ProtocolException(
          "Protocol error: expected '$', got '%s'".formatted(Printable.of((char) (type & 0xFF))));
    }
    long length = count("too big bulk count string", "invalid bulk length");
    if (length == INCOMPLETE) {
      return false;
    }
    size += (int) Math.min(length, LONGEST_COMMAND);
    if (length < 0 || length > LONGEST_WORD || size > LONGEST_COMMAND) {
      throw new ProtocolException("Protocol error: invalid bulk length");
    }
    wordLength = (int) length;
    return true;
  }

  /** The number behind a line's first character, or {@link #INCOMPLETE}. */
  private long count(String tooLong, String wrong) throws ProtocolException {
    int first = at + 1;
    int last = Math.min(end, first + MOST_DIGITS + 2);
    int next = first;
    int value = 0;
    for (int digit; next < last && (digit = bytes[next] - '0') >= 0 && digit <= 9; next++) {
      value = 10 * value + digit;
    }
    if (next > first && next + 1 < last && bytes[next] == '\r' && bytes[next + 1] == '\n') {
      at = next + 2;
      return value;
    }
    // Not as clients write it: cut off, negative, or wrong.
    byte[] line = line(LONGEST_COUNT, tooLong);
    if (line == null) {
      return INCOMPLETE;
    }
    try {
      return Long.parseLong(new String(line, 1, line.length - 1, StandardCharsets.ISO_8859_1));
    } catch (NumberFormatException notANumber) {
      throw new ProtocolException("Protocol error: " + wrong);
    }
  }

  /** A line without its end; null if it has none yet. */
  private byte @Nullable [] line(int longest, String problem) throws ProtocolException {
    int limit = Math.min(end, at + longest + 2);
    int feed = at;
    while (feed < limit && bytes[feed] != '\n') {
      feed++;
    }
    if (feed == limit) {
      if (limit == at + longest + 2) {
        throw new ProtocolException("Protocol error: " + problem);
      }
      return null;
    }
    boolean carriageReturn = feed > at && bytes[feed - 1] == '\r';
    byte[] line = Arrays.copyOfRange(bytes, at, carriageReturn ? feed - 1 : feed);
    at = feed + 1;
    return line;
  }
}
