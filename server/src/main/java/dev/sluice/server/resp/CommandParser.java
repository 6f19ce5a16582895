package dev.sluice.server.resp;

import io.netty.buffer.ByteBuf;
import io.netty.util.ByteProcessor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts commands out of the bytes of a connection, in whatever pieces they arrive. What has been
 * read is kept, so a command that trickles in is never read twice. Error texts are Redis'.
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

  private byte @Nullable [][] words;
  private int read;
  private int size;
  private int wordLength = UNKNOWN;

  /** Whether a command has been begun. */
  boolean isInside() {
    return words != null;
  }

  /** The next command, or null if the bytes end before it does. */
  @Nullable Command next(ByteBuf in) throws ProtocolException {
    while (words == null) {
      if (!in.isReadable()) {
        return null;
      }
      if (in.getByte(in.readerIndex()) != '*') {
        byte[] line = line(in, LONGEST_WORD, "too big inline request");
        if (line == null) {
          return null;
        }
        byte[][] inline = InlineCommand.words(line);
        if (inline.length > MOST_WORDS) {
          throw new ProtocolException("Protocol error: invalid multibulk length");
        }
        if (inline.length > 0) {
          return new Command(inline);
        }
        continue;
      }
      long count = count(in, "too big mbulk count string", "invalid multibulk length");
      if (count == INCOMPLETE) {
        return null;
      }
      if (count > MOST_WORDS) {
        throw new ProtocolException("Protocol error: invalid multibulk length");
      }
      // As in Redis, an empty or absent array is no command, and not an error.
      if (count > 0) {
        words = new byte[(int) count][];
        read = 0;
        size = 0;
      }
    }
    return rest(in, words);
  }

  private @Nullable Command rest(ByteBuf in, byte[][] command) throws ProtocolException {
    while (read < command.length) {
      if (wordLength == UNKNOWN && !wordLength(in)) {
        return null;
      }
      if (in.readableBytes() < wordLength + 2) {
        return null;
      }
      int start = in.arrayOffset() + in.readerIndex();
      command[read++] = Arrays.copyOfRange(in.array(), start, start + wordLength);
      in.readerIndex(in.readerIndex() + wordLength + 2);
      wordLength = UNKNOWN;
    }
    words = null;
    return new Command(command);
  }

  private boolean wordLength(ByteBuf in) throws ProtocolException {
    if (!in.isReadable()) {
      return false;
    }
    byte type = in.getByte(in.readerIndex());
    if (type != '$') {
      throw new ProtocolException(
          "Protocol error: expected '$', got '%s'".formatted(Printable.of((char) (type & 0xFF))));
    }
    long length = count(in, "too big bulk count string", "invalid bulk length");
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
  private static long count(ByteBuf in, String tooLong, String wrong) throws ProtocolException {
    byte[] bytes = in.array();
    int offset = in.arrayOffset();
    int first = offset + in.readerIndex() + 1;
    int end = Math.min(offset + in.writerIndex(), first + MOST_DIGITS + 2);
    int at = first;
    long value = 0;
    for (int digit; at < end && (digit = bytes[at] - '0') >= 0 && digit <= 9; at++) {
      value = 10 * value + digit;
    }
    if (at > first && at + 1 < end && bytes[at] == '\r' && bytes[at + 1] == '\n') {
      in.readerIndex(at + 2 - offset);
      return value;
    }
    // Not as clients write it: cut off, negative, or wrong.
    byte[] line = line(in, LONGEST_COUNT, tooLong);
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
  private static byte @Nullable [] line(ByteBuf in, int longest, String problem)
      throws ProtocolException {
    int looked = Math.min(in.readableBytes(), longest + 2);
    int end = in.forEachByte(in.readerIndex(), looked, ByteProcessor.FIND_LF);
    if (end < 0) {
      if (looked == longest + 2) {
        throw new ProtocolException("Protocol error: " + problem);
      }
      return null;
    }
    byte[] line = new byte[end - in.readerIndex()];
    in.readBytes(line);
    in.skipBytes(1);
    boolean carriageReturn = line.length > 0 && line[line.length - 1] == '\r';
    return carriageReturn ? Arrays.copyOf(line, line.length - 1) : line;
  }
}
