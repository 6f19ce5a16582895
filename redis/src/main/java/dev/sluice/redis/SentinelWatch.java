package dev.sluice.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the sentinels twice a second who the primary is, and says when it is another.
 *
 * <p>A former primary that was only cut off, or stopped and went on, keeps its connections and
 * decides for seconds what nobody will remember, until a sentinel makes it a replica. Asking is
 * enough to leave it sooner, and unlike a subscription it cannot go silent unnoticed.
 */
final class SentinelWatch {
  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
  private static final long PERIOD_MILLIS = 500;

  private final RedisClient client;
  private final RedisURI sentinels;
  private final Consumer<SocketAddress> onChange;
  private @Nullable CompletableFuture<StatefulRedisSentinelConnection<String, String>>
      connection; // guarded by this
  private @Nullable SocketAddress primary; // guarded by this
  private boolean asking; // guarded by this

  SentinelWatch(RedisClient client, RedisURI sentinels, Consumer<SocketAddress> onChange) {
    this.client = client;
    this.sentinels = sentinels;
    this.onChange = onChange;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // ask reports by itself
  void start(ScheduledExecutorService timer) {
    timer.scheduleWithFixedDelay(this::ask, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void ask() {
    CompletableFuture<StatefulRedisSentinelConnection<String, String>> to;
    synchronized (this) {
      if (asking) {
        return;
      }
      asking = true;
      if (connection == null) {
        connection = client.connectSentinelAsync(StringCodec.UTF8, sentinels);
      }
      to = connection;
    }
    CompletionStage<?> unused =
        to.thenCompose(asked -> asked.async().getMasterAddrByName(sentinels.getSentinelMasterId()))
            // A sentinel that hangs: drop it, the next question goes to another.
            .orTimeout(2 * PERIOD_MILLIS, TimeUnit.MILLISECONDS)
            .whenComplete(this::answered);
  }

  private void answered(@Nullable SocketAddress named, @Nullable Throwable failure) {
    boolean changed = false;
    CompletableFuture<StatefulRedisSentinelConnection<String, String>> dropped = null;
    synchronized (this) {
      asking = false;
      if (named != null) {
        changed = primary != null && !named.equals(primary);
        primary = named;
      } else if (connection != null && connection.isDone()) {
        // One that is still being made may have passed a hung sentinel by and be near its end.
        dropped = connection;
        connection = null;
      }
    }
    if (dropped != null) {
      CompletionStage<?> unused = dropped.thenCompose(StatefulRedisSentinelConnection::closeAsync);
    }
    if (failure != null) {
      LOG.debug("redis: the sentinels do not name a primary", failure);
    }
    if (changed && named != null) {
      LOG.warn("redis: the sentinels name another primary: {}", named);
      onChange.accept(named);
    }
  }
}
