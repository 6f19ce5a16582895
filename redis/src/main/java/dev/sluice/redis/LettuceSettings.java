package dev.sluice.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How Lettuce is set up. By default it sends again what was in flight when a connection broke, and
 * lets any number of calls wait: for a limiter that is counting twice, and running out of memory.
 */
final class LettuceSettings {
  static final String CLIENT_NAME = "sluice";

  // TCP notices by itself, after about this time, that the other side is gone for good.
  private static final Duration SILENCE = Duration.ofSeconds(5);

  private LettuceSettings() {}

  static ClientResources resources() {
    return ClientResources.builder().ioThreadPoolSize(2).computationThreadPoolSize(2).build();
  }

  static ClientOptions options(RedisOptions options) {
    return ClientOptions.builder()
        // Link reconnects; and at-most-once is what Lettuce calls doing without.
        .autoReconnect(false)
        .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
        // True means: do not replay. Rejecting alone would still replay what was being written.
        .replayFilter(command -> true)
        .requestQueueSize(options.maxWaiting())
        // RESP2 needs no HELLO, so the least ACL is smaller, and replies are the same numbers.
        .protocolVersion(ProtocolVersion.RESP2)
        .maintNotificationsConfig(MaintNotificationsConfig.disabled())
        // Deadlines are ours (Attempt): Lettuce's timer ticks every 100 ms.
        .timeoutOptions(TimeoutOptions.create())
        .socketOptions(socket(options))
        .sslOptions(ssl(options))
        .build();
  }

  private static SocketOptions socket(RedisOptions options) {
    SocketOptions.Builder socket =
        SocketOptions.builder()
            .connectTimeout(options.connectTimeout())
            .tcpNoDelay(true)
            .keepAlive(
                SocketOptions.KeepAliveOptions.builder()
                    .enable()
                    .idle(SILENCE)
                    .interval(Duration.ofSeconds(1))
                    .count(3)
                    .build());
    // Only Linux has it; elsewhere Lettuce would not connect at all.
    if (EpollProvider.isAvailable() || IOUringProvider.isAvailable()) {
      socket.tcpUserTimeout(
          SocketOptions.TcpUserTimeoutOptions.builder().enable().tcpUserTimeout(SILENCE).build());
    }
    return socket.build();
  }

  private static SslOptions ssl(RedisOptions options) {
    SslOptions.Builder ssl =
        SslOptions.builder().jdkSslProvider().handshakeTimeout(options.connectTimeout());
    java.nio.file.Path authority = options.authority();
    return authority == null ? ssl.build() : ssl.trustManager(authority.toFile()).build();
  }

  /** The address of a server, a socket or sentinels. */
  static RedisURI uri(RedisAddress address, RedisOptions options) {
    String socket = address.socket();
    RedisURI uri =
        switch (address.kind()) {
          case SOCKET -> {
            RedisURI unix = new RedisURI();
            unix.setSocket(socket);
            yield unix;
          }
          case SENTINEL -> sentinels(address, options);
          case SERVER, CLUSTER -> uri(address.nodes().get(0));
        };
    return common(uri, address, options, address.user(), address.password());
  }

  /** The address of a cluster's node. */
  static RedisURI uri(RedisAddress address, RedisOptions options, RedisAddress.Node node) {
    return common(uri(node), address, options, address.user(), address.password());
  }

  private static RedisURI uri(RedisAddress.Node node) {
    RedisURI uri = new RedisURI();
    uri.setHost(node.host());
    uri.setPort(node.port());
    return uri;
  }

  private static RedisURI sentinels(RedisAddress address, RedisOptions options) {
    RedisURI uri = new RedisURI();
    uri.setSentinelMasterId(address.primaryName());
    for (RedisAddress.Node node : address.nodes()) {
      RedisURI sentinel = uri(node);
      uri.getSentinels()
          .add(
              common(
                  sentinel, address, options, options.sentinelUser(), options.sentinelPassword()));
    }
    return uri;
  }

  private static RedisURI common(
      RedisURI uri,
      RedisAddress address,
      RedisOptions options,
      @Nullable String user,
      @Nullable String password) {
    uri.setTimeout(options.connectTimeout());
    uri.setClientName(CLIENT_NAME);
    // CLIENT SETINFO is of 7.2, and no ACL of 7.0 can allow it by name.
    uri.setLibraryName("");
    uri.setLibraryVersion("");
    uri.setDatabase(address.database());
    uri.setSsl(address.tls());
    uri.setVerifyPeer(
        switch (options.verify()) {
          case FULL -> SslVerifyMode.FULL;
          case AUTHORITY -> SslVerifyMode.CA;
          case NONE -> SslVerifyMode.NONE;
        });
    if (password != null) {
      if (user == null) {
        uri.setAuthentication(password.toCharArray());
      } else {
        uri.setAuthentication(user, password.toCharArray());
      }
    }
    return uri;
  }
}
