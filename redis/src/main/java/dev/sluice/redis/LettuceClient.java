package dev.sluice.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.resource.ClientResources;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lettuce and its threads, shared by all links of a store. */
final class LettuceClient {
  private final RedisClient client;
  private final ClientResources resources;
  private final ScheduledExecutorService timer;
  // Whom sentinels named is told nowhere else. Lettuce forgets a connection when it ends.
  private final Map<Object, SocketAddress> addresses =
      Collections.synchronizedMap(new WeakHashMap<>());

  LettuceClient(RedisOptions options, ScheduledExecutorService timer) {
    this.resources = LettuceSettings.resources();
    this.client = RedisClient.create(resources);
    this.client.setOptions(LettuceSettings.options(options));
    this.timer = timer;
    this.client.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress to) {
            addresses.put(connection, to);
          }
        });
  }

  Link link(RedisURI uri, Object name, Runnable onConnect, Link.Companion companion) {
    return new Link(client, uri, name, timer, onConnect, companion);
  }

  /** The server at the other end of a connection; null if that is no host and port. */
  RedisAddress.@Nullable Node nodeOf(StatefulRedisConnection<?, ?> connection) {
    return node(addresses.get(connection));
  }

  private static RedisAddress.@Nullable Node node(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress to
        ? new RedisAddress.Node(to.getHostString(), to.getPort())
        : null;
  }

  /** Tells {@code onChange} the primary whenever the sentinels name another. */
  void watch(RedisURI sentinels, Consumer<RedisAddress.@Nullable Node> onChange) {
    new SentinelWatch(client, sentinels, named -> onChange.accept(node(named))).start(timer);
  }

  /** Connections end at once; the threads follow in the background, which takes a tenth second. */
  @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for threads to end
  void close() {
    client
        .shutdownAsync(0, 1, TimeUnit.SECONDS)
        .whenComplete((done, failure) -> resources.shutdown(0, 1, TimeUnit.SECONDS));
  }
}
