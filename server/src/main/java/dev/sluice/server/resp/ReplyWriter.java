package dev.sluice.server.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;

/** Writes replies in the protocol version that the connection has chosen. */
final class ReplyWriter {
  private static final byte[][] SMALL = new byte[1024][];
  private static final byte[] MINUS_ONE = ":-1\r\n".getBytes(StandardCharsets.US_ASCII);

  static {
    for (int i = 0; i < SMALL.length; i++) {
      SMALL[i] = (":" + i + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }
  }

  private final ByteBuf out;
  private final Session session;

  ReplyWriter(ByteBuf out, Session session) {
    this.out = out;
    this.session = session;
  }

  void simple(String text) {
    line('+', text);
  }

  void error(String text) {
    line('-', Printable.of(text));
  }

  void integer(long value) {
    if (value == -1) {
      out.writeBytes(MINUS_ONE);
    } else if (value >= 0 && value < SMALL.length) {
      out.writeBytes(SMALL[(int) value]);
    } else if (value > 0) {
      digits(value);
    } else {
      line(':', Long.toString(value));
    }
  }

  /** Straight into the buffer, the last digit first: most replies are numbers. */
  private void digits(long value) {
    int length = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      length++;
    }
    out.ensureWritable(length + 3);
    out.writeByte(':');
    int first = out.writerIndex();
    long rest = value;
    for (int at = first + length - 1; at >= first; at--) {
      out.setByte(at, '0' + (int) (rest % 10));
      rest /= 10;
    }
    out.writerIndex(first + length);
    end();
  }

  void bulk(byte[] bytes) {
    line('$', Integer.toString(bytes.length));
    out.writeBytes(bytes);
    end();
  }

  void bulk(String text) {
    bulk(text.getBytes(StandardCharsets.UTF_8));
  }

  void nothing() {
    ByteBufUtil.writeAscii(out, session.isResp3() ? "_\r\n" : "$-1\r\n");
  }

  void array(int size) {
    line('*', Integer.toString(size));
  }

  /** Begins {@code pairs} pairs of a name and a value; RESP2 has them in one flat array. */
  void map(int pairs) {
    if (session.isResp3()) {
      line('%', Integer.toString(pairs));
    } else {
      array(2 * pairs);
    }
  }

  private void line(char type, String text) {
    out.writeByte(type);
    ByteBufUtil.writeAscii(out, text);
    end();
  }

  private void end() {
    out.writeByte('\r').writeByte('\n');
  }
}
