package dev.sluice.server.resp;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A connection that sends what it is told, byte for byte, and reads RESP as text. */
public final class Wire implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 20_000;

  private final Socket socket = new Socket();
  private final InputStream in;

  public Wire(int port) throws IOException {
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
    socket.setSoTimeout(PATIENCE_MILLIS);
    this.in = socket.getInputStream();
  }

  public Wire send(String latin1) throws IOException {
    return send(latin1.getBytes(StandardCharsets.ISO_8859_1));
  }

  public Wire send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** Sends a command as clients do, and reads its reply. */
  public String ask(String... words) throws IOException {
    return send(command(words)).reply();
  }

  public static String command(String... words) {
    StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      int length = word.getBytes(StandardCharsets.ISO_8859_1).length;
      text.append('$').append(length).append("\r\n").append(word).append("\r\n");
    }
    return text.toString();
  }

  /** One reply: arrays as {@code [1, 2]}, other types with their first character. */
  public String reply() throws IOException {
    String line = line();
    char type = line.charAt(0);
    switch (type) {
      case '*', '%', '~' -> {
        int size = Integer.parseInt(line.substring(1)) * (type == '%' ? 2 : 1);
        List<String> items = new ArrayList<>();
        for (int i = 0; i < size; i++) {
          items.add(reply());
        }
        return (type == '*' ? "" : type) + items.toString();
      }
      case '$' -> {
        int length = Integer.parseInt(line.substring(1));
        if (length < 0) {
          return "nil";
        }
        String text = new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
        line();
        return text;
      }
      case ':' -> {
        return line.substring(1);
      }
      default -> {
        return line;
      }
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new IOException("the server closed the connection after '" + line + "'");
      }
      line.append((char) b);
    }
    return line.substring(0, line.length() - 1);
  }

  /** Waits until the server has closed the connection. */
  boolean isClosedByServer() throws IOException {
    return in.read() < 0;
  }

  void finishSending() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
