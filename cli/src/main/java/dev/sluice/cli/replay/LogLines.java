package dev.sluice.cli.replay;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * The lines of a file as bytes: a line that is not UTF-8 is a fault of that line only. Unpacks
 * gzip, and drops the mark that some editors put before UTF-8.
 */
public final class LogLines implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  private static final int[] GZIP = {0x1F, 0x8B};
  private static final int[] BYTE_ORDER_MARK = {0xEF, 0xBB, 0xBF};

  private final InputStream in;

  /** The lines of a stream, which is closed with this. */
  public LogLines(InputStream stream) throws IOException {
    InputStream bytes = new BufferedInputStream(stream, BUFFER);
    if (startsWith(bytes, GZIP)) {
      bytes = new BufferedInputStream(new GZIPInputStream(new Unending(bytes)), BUFFER);
    }
    if (startsWith(bytes, BYTE_ORDER_MARK)) {
      bytes.skipNBytes(BYTE_ORDER_MARK.length);
    }
    this.in = bytes;
  }

  private static boolean startsWith(InputStream in, int[] expected) throws IOException {
    in.mark(expected.length);
    boolean same = true;
    for (int i = 0; same && i < expected.length; i++) {
      same = in.read() == expected[i];
    }
    in.reset();
    return same;
  }

  /** The next line without its end; empty after the last. */
  public Optional<byte[]> next() throws IOException {
    int b = in.read();
    if (b < 0) {
      return Optional.empty();
    }
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (b >= 0 && b != '\n') {
      line.write(b);
      b = in.read();
    }
    return Optional.of(line.toByteArray());
  }

  /**
   * A line as text, without the carriage return of some.
   *
   * @throws IllegalArgumentException if it is not UTF-8
   */
  public static String text(byte[] line) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
      return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    } catch (CharacterCodingException other) {
      throw new IllegalArgumentException("must be UTF-8", other);
    }
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  /**
   * Always claims to have more: GZIPInputStream takes a pipe that has nothing at the moment for the
   * end, though another member may follow.
   */
  private static final class Unending extends FilterInputStream {
    Unending(InputStream in) {
      super(in);
    }

    @Override
    public int available() throws IOException {
      return Math.max(1, super.available());
    }
  }
}
