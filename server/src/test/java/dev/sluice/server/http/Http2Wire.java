package dev.sluice.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;

/** An HTTP/2 connection that sends what it is told, frame for frame. */
final class Http2Wire implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int GOAWAY = 7;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  // :method GET, :scheme http, :path /, :authority x
  static final byte[] GET_ROOT = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'x'};
  static final byte[] CANCEL = {0, 0, 0, 8};

  private final Socket socket;
  private final DataInputStream in;

  record Frame(int type, int flags, int stream, ByteBuffer payload) {
    /** The last stream that the server will answer, where the frame says that it goes away. */
    int lastStream() {
      return payload.getInt(0);
    }

    int errorCode() {
      return payload.getInt(4);
    }
  }

  Http2Wire(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(30_000);
    in = new DataInputStream(socket.getInputStream());
    socket.getOutputStream().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
    send(frame(SETTINGS, 0, 0, new byte[0]));
  }

  static byte[] frame(int type, int flags, int stream, byte[] payload) {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.put((byte) 0).putShort((short) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
    return frame.array();
  }

  /** The headers of a POST with a JSON body. */
  static byte[] post(String path) {
    ByteArrayOutputStream headers = new ByteArrayOutputStream();
    // :method POST, :scheme http, :authority x, then :path and content-type as they are
    headers.writeBytes(new byte[] {(byte) 0x83, (byte) 0x86, 0x41, 1, 'x', 0x04});
    text(headers, path);
    headers.writeBytes(new byte[] {0x0f, 31 - 15});
    text(headers, "application/json");
    return headers.toByteArray();
  }

  private static void text(ByteArrayOutputStream headers, String text) {
    headers.write(text.length());
    headers.writeBytes(text.getBytes(ISO_8859_1));
  }

  void send(byte[] frames) throws IOException {
    socket.getOutputStream().write(frames);
  }

  void finishSending() throws IOException {
    socket.shutdownOutput();
  }

  /** The next frame. The end of the connection is an exception. */
  Frame read() throws IOException {
    int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
    return new Frame(
        in.readUnsignedByte(),
        in.readUnsignedByte(),
        in.readInt(),
        ByteBuffer.wrap(in.readNBytes(length)));
  }

  /** The next frame of this type, whatever comes before. */
  Frame read(int type) throws IOException {
    Frame frame = read();
    while (frame.type() != type) {
      frame = read();
    }
    return frame;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
