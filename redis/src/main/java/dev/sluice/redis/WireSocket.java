package dev.sluice.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Makes the socket of a {@link Wire}, once: Jedis connects again by itself when it finds its socket
 * closed, and what was lost would be sent a second time.
 */
final class WireSocket implements JedisSocketFactory {
  private final RedisAddress address;
  private final RedisOptions options;
  private final RedisAddress.Node node;
  private @Nullable Socket plain;

  WireSocket(RedisAddress address, RedisOptions options, RedisAddress.Node node) {
    this.address = address;
    this.options = options;
    this.node = node;
  }

  @Override
  public Socket createSocket() {
    if (plain != null) {
      throw new JedisConnectionException("the connection was lost");
    }
    Socket made = new Socket();
    try {
      made.setOption(StandardSocketOptions.TCP_NODELAY, true);
      made.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      made.connect(
          new InetSocketAddress(InetAddress.getByName(node.host()), node.port()), timeout());
      made.setSoTimeout(timeout());
      plain = made;
      return address.tls() ? secured(made) : made;
    } catch (IOException | GeneralSecurityException failed) {
      close(made);
      throw new JedisConnectionException("not connected to " + node, failed);
    }
  }

  private SSLSocket secured(Socket made) throws IOException, GeneralSecurityException {
    SSLSocket secure =
        (SSLSocket)
            Tls.sockets(options.authority(), options.verify())
                .createSocket(made, node.host(), node.port(), true);
    if (options.verify() == RedisOptions.Verify.FULL) {
      SSLParameters parameters = secure.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secure.setSSLParameters(parameters);
    }
    secure.startHandshake();
    return secure;
  }

  private int timeout() {
    return Math.toIntExact(options.connectTimeout().toMillis());
  }

  /** Waits for a reply no longer than for a connection, for those whom nobody looks after. */
  void waitBriefly() throws IOException {
    if (plain != null) {
      plain.setSoTimeout(timeout());
    }
  }

  /** Waits without limit from now on: who gives up closes the socket. */
  void waitForever() throws IOException {
    if (plain != null) {
      plain.setSoTimeout(0);
    }
  }

  /** What the server sends, as it comes: with TLS nobody but its owner can read it. */
  InputStream replies() throws IOException {
    if (plain == null) {
      throw new IOException("not connected to " + node);
    }
    return plain.getInputStream();
  }

  /** Closes the socket, from any thread and at once: a goodbye of TLS could block. */
  void close() {
    if (plain != null) {
      close(plain);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException closedAnyway) {
      // The descriptor is gone whatever close says, and nobody could do more about it.
      return;
    }
  }
}
