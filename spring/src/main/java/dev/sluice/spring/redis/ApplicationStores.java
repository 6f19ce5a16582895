package dev.sluice.spring.redis;

import dev.sluice.Store;
import dev.sluice.StoreProvider;
import dev.sluice.redis.RedisAddress;
import dev.sluice.redis.RedisAddress.Kind;
import dev.sluice.redis.RedisAddress.Node;
import dev.sluice.redis.RedisOptions;
import dev.sluice.redis.RedisStore;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Opens {@code application}: the Redis of the application's own Lettuce connection factory,
 * whatever configured that. Servers, credentials and TLS are taken over, but not the connection
 * itself: Lettuce sends commands again when a connection breaks, which is right for an
 * application's reads and writes, and would count requests twice.
 */
public final class ApplicationStores implements StoreProvider {
  /** The address that stands for the application's Redis. */
  public static final String ADDRESS = "application";

  private final Supplier<@Nullable LettuceConnectionFactory> factory;
  private final RedisOptions options;

  /** Stores of this factory, which is asked for only when it is needed. */
  public ApplicationStores(
      Supplier<@Nullable LettuceConnectionFactory> factory, RedisOptions options) {
    this.factory = factory;
    this.options = options;
  }

  @Override
  public Optional<Store> open(String address) {
    if (!address.equals(ADDRESS)) {
      return Optional.empty();
    }
    LettuceConnectionFactory found = factory.get();
    if (found == null) {
      throw new IllegalArgumentException(
          "store 'application': the application must have a LettuceConnectionFactory, got none");
    }
    if (isStatic(found)) {
      throw new IllegalArgumentException(
          "store 'application': a master and replicas that are named one by one must be given as"
              + " the master's own address");
    }
    return Optional.of(RedisStore.connect(address(found), options(found)));
  }

  /** The factory tells of every configuration but this, for which it names localhost. */
  private static boolean isStatic(LettuceConnectionFactory factory) {
    DirectFieldAccessor fields = new DirectFieldAccessor(factory);
    return fields.isReadableProperty("configuration")
        && fields.getPropertyValue("configuration") instanceof StaticMasterReplicaConfiguration;
  }

  static RedisAddress address(LettuceConnectionFactory factory) {
    boolean tls = factory.isUseSsl();
    RedisClusterConfiguration cluster = factory.getClusterConfiguration();
    if (cluster != null) {
      return new RedisAddress(
          Kind.CLUSTER,
          tls,
          nodes(cluster.getClusterNodes()),
          null,
          cluster.getUsername(),
          text(cluster.getPassword()),
          0,
          null);
    }
    RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
    if (sentinel != null) {
      return new RedisAddress(
          Kind.SENTINEL,
          tls,
          nodes(sentinel.getSentinels()),
          null,
          sentinel.getUsername(),
          text(sentinel.getPassword()),
          sentinel.getDatabase(),
          sentinel.getRequiredMaster().getName());
    }
    RedisSocketConfiguration socket = factory.getSocketConfiguration();
    if (socket != null) {
      return new RedisAddress(
          Kind.SOCKET,
          false,
          List.of(),
          socket.getSocket(),
          socket.getUsername(),
          text(socket.getPassword()),
          socket.getDatabase(),
          null);
    }
    RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
    return new RedisAddress(
        Kind.SERVER,
        tls,
        List.of(new Node(server.getHostName(), server.getPort())),
        null,
        server.getUsername(),
        text(server.getPassword()),
        server.getDatabase(),
        null);
  }

  private RedisOptions options(LettuceConnectionFactory factory) {
    RedisOptions taken =
        options.withVerify(
            switch (factory.getClientConfiguration().getVerifyMode()) {
              case FULL -> RedisOptions.Verify.FULL;
              case CA -> RedisOptions.Verify.AUTHORITY;
              case NONE -> RedisOptions.Verify.NONE;
            });
    RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
    String password = sentinel == null ? null : text(sentinel.getSentinelPassword());
    return sentinel == null || password == null
        ? taken
        : taken.withSentinelLogin(sentinel.getSentinelUsername(), password);
  }

  private static List<Node> nodes(Set<RedisNode> nodes) {
    return nodes.stream()
        .map(node -> new Node(node.getRequiredHost(), node.getRequiredPort()))
        .toList();
  }

  private static @Nullable String text(RedisPassword password) {
    return password.map(String::new).orElse(null);
  }
}
