package dev.sluice.redis.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * One RESP2 connection that sends any command.
 *
 * <p>A reply is a {@code String} (simple and bulk), a {@code Long}, a {@code List} of replies or
 * null. An error reply is thrown as {@link ErrorReplyException}; inside a list it is an element.
 * Input and output failures are {@link UncheckedIOException}. For one thread at a time.
 */
public final class Resp implements AutoCloseable {
  /** How long a TCP or TLS connection waits for a connect and for each read. */
  public static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final InputStream in;
  private final OutputStream out;
  private final Closeable connection;
  private final Charset charset;

  private Resp(InputStream in, OutputStream out, Closeable connection, Charset charset) {
    this.in = new BufferedInputStream(in);
    this.out = out;
    this.connection = connection;
    this.charset = charset;
  }

  /** Connects to a loopback port; text goes as UTF-8. */
  public static Resp connect(int port) {
    return connect(port, StandardCharsets.UTF_8);
  }

  /** Connects with another charset: ISO 8859-1 carries every byte unharmed. */
  public static Resp connect(int port, Charset charset) {
    try {
      return over(tcp(port), charset);
    } catch (IOException e) {
      throw new UncheckedIOException("port %d: cannot connect".formatted(port), e);
    }
  }

  /** Connects by TLS to a loopback port and checks chain, dates and that the host is named. */
  public static Resp connectTls(String host, int port, SSLContext trust) {
    return connectTls(host, port, trust, "HTTPS", StandardCharsets.UTF_8);
  }

  /** Connects by TLS without looking at the host name. */
  static Resp connectPinned(int port, SSLContext trust, Charset charset) {
    return connectTls("localhost", port, trust, null, charset);
  }

  private static Resp connectTls(
      String host, int port, SSLContext trust, @Nullable String hostCheck, Charset charset) {
    try {
      Socket tcp = tcp(port);
      SSLSocket tls = (SSLSocket) trust.getSocketFactory().createSocket(tcp, host, port, true);
      if (hostCheck != null) {
        SSLParameters parameters = tls.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(hostCheck);
        tls.setSSLParameters(parameters);
      }
      try {
        tls.startHandshake();
      } catch (IOException e) {
        tcp.close();
        throw e;
      }
      return over(tls, charset);
    } catch (IOException e) {
      throw new UncheckedIOException("%s:%d: no TLS connection".formatted(host, port), e);
    }
  }

  /** Connects to a Unix socket. Reads wait without limit, for the JDK has no timeout there. */
  public static Resp connectUnix(Path socket) {
    try {
      SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
      return new Resp(
          Channels.newInputStream(channel),
          Channels.newOutputStream(channel),
          channel,
          StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("socket '%s': cannot connect".formatted(socket), e);
    }
  }

  static Resp over(Socket socket, Charset charset) throws IOException {
    return new Resp(socket.getInputStream(), socket.getOutputStream(), socket, charset);
  }

  private static Socket tcp(int port) throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(ReservedPort.loopback(port), (int) TIMEOUT.toMillis());
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      socket.setTcpNoDelay(true);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** Sends a command and waits for its reply. */
  public @Nullable Object command(String... words) {
    send(words);
    return receive();
  }

  /** Sends a command only, for pipelines. */
  public void send(String... words) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(("*" + words.length + "\r\n").getBytes(charset));
    for (String word : words) {
      byte[] bytes = word.getBytes(charset);
      request.writeBytes(("$" + bytes.length + "\r\n").getBytes(charset));
      request.writeBytes(bytes);
      request.writeBytes(new byte[] {'\r', '\n'});
    }
    write(request.toByteArray());
  }

  /** Waits for the next reply. */
  public @Nullable Object receive() {
    Object reply;
    try {
      reply = read();
    } catch (IOException e) {
      throw new UncheckedIOException("no reply: " + e.getMessage(), e);
    }
    if (reply instanceof ErrorReplyException error) {
      throw error;
    }
    return reply;
  }

  /** The elements of a reply that must be a list without nulls. */
  public static List<Object> asList(@Nullable Object reply) {
    if (reply instanceof List<?> list) {
      return List.copyOf(list);
    }
    throw new IllegalArgumentException("reply: must be a list, got " + reply);
  }

  /** The value of a reply that must be a number. */
  public static long asLong(@Nullable Object reply) {
    if (reply instanceof Long number) {
      return number;
    }
    throw new IllegalArgumentException("reply: must be a number, got " + reply);
  }

  void write(byte[] bytes) {
    try {
      out.write(bytes);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot send: " + e.getMessage(), e);
    }
  }

  private @Nullable Object read() throws IOException {
    String line = readLine();
    if (line.isEmpty()) {
      throw new IOException("not RESP2: an empty line");
    }
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> new ErrorReplyException(rest);
      case ':' -> Long.valueOf(rest);
      case '$' -> readBulk(Integer.parseInt(rest));
      case '*' -> readList(Integer.parseInt(rest));
      default -> throw new IOException("not RESP2: " + line);
    };
  }

  private @Nullable String readBulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || in.readNBytes(2).length < 2) {
      throw new EOFException("connection closed inside a reply");
    }
    return new String(bytes, charset);
  }

  private @Nullable List<@Nullable Object> readList(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      list.add(read());
    }
    return list;
  }

  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("connection closed");
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(charset);
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close a connection", e);
    }
  }
}
