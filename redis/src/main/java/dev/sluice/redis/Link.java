package dev.sluice.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that is made again whenever it ends, until the link is closed.
 *
 * <p>It reconnects by itself instead of leaving that to Lettuce: each connection begins from
 * nothing, with no command left over from the last, and asks the sentinels or the name service
 * anew. One attempt at a time, with pauses that double up to {@link #LONGEST_PAUSE_MILLIS} and vary
 * by half.
 */
final class Link {
  static final long FIRST_PAUSE_MILLIS = 10;
  static final long LONGEST_PAUSE_MILLIS = 500;

  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

  private final RedisClient client;
  private final RedisURI uri;
  private final Object name;
  private final ScheduledExecutorService timer;
  private final Runnable onConnect;
  private final Companion companion;
  private final RedisConnectionStateListener watch =
      new RedisConnectionStateListener() {
        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
          drop((StatefulRedisConnection<?, ?>) lost);
        }
      };
  private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
  private @Nullable CompletableFuture<Void> connecting; // guarded by this
  private boolean closed; // guarded by this
  private boolean known; // guarded by this; whether it was ever connected
  private int failures; // guarded by this

  /**
   * A link that is not connected yet.
   *
   * @param name what the other end is called in messages
   * @param onConnect run after each connection was made
   * @param companion lives as long as the connection
   */
  Link(
      RedisClient client,
      RedisURI uri,
      Object name,
      ScheduledExecutorService timer,
      Runnable onConnect,
      Companion companion) {
    this.client = client;
    this.uri = uri;
    this.name = name;
    this.timer = timer;
    this.onConnect = onConnect;
    this.companion = companion;
  }

  /** What goes to the same server beside the connection. */
  interface Companion {
    /** For links that are alone. */
    Companion NONE =
        new Companion() {
          @Override
          public void connected(StatefulRedisConnection<?, ?> to) {}

          @Override
          public void lost() {}
        };

    void connected(StatefulRedisConnection<?, ?> to);

    void lost();
  }

  /** Connects, or joins the attempt that is under way. What fails is tried again later. */
  CompletableFuture<Void> connect() {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    synchronized (this) {
      if (closed || connection != null) {
        return CompletableFuture.completedFuture(null);
      }
      if (connecting != null) {
        return connecting;
      }
      connecting = outcome;
    }
    CompletionStage<?> unused =
        client
            .connectAsync(ByteArrayCodec.INSTANCE, uri)
            .whenComplete(
                (made, failure) -> {
                  if (made == null) {
                    failed(LettuceCall.of(failure, RedisFailure.UNREACHABLE), outcome);
                  } else {
                    connected(made, outcome);
                  }
                });
    return outcome;
  }

  private void failed(TransportException problem, CompletableFuture<Void> outcome) {
    long pause;
    boolean first;
    synchronized (this) {
      connecting = null;
      failures++;
      first = failures == 1 && known;
      pause = pauseMillis(failures);
    }
    if (first) {
      LOG.warn("redis: cannot connect to {}, trying on: {}", name, problem.getMessage());
    } else {
      LOG.debug("redis: cannot connect to {}, next try in {} ms", name, pause, problem);
    }
    schedule(pause);
    outcome.completeExceptionally(problem);
  }

  private void connected(
      StatefulRedisConnection<byte[], byte[]> made, CompletableFuture<Void> outcome) {
    made.addListener(watch);
    boolean unwanted;
    synchronized (this) {
      connecting = null;
      failures = 0;
      known = true;
      unwanted = closed || !made.isOpen();
      connection = unwanted ? null : made;
    }
    if (unwanted) {
      drop(made);
    } else {
      LOG.info("redis: connected to {}", name);
      companion.connected(made);
      onConnect.run();
    }
    outcome.complete(null);
  }

  /** Forgets a connection, however it ended, and makes another. */
  private void drop(StatefulRedisConnection<?, ?> old) {
    boolean present;
    synchronized (this) {
      present = connection == old;
      connection = present ? null : connection;
    }
    if (present) {
      companion.lost();
    }
    CompletableFuture<Void> unused = end(old);
    schedule(pauseMillis(0));
  }

  /** Closes a connection, of whose end nobody need be told then. */
  private CompletableFuture<Void> end(StatefulRedisConnection<?, ?> old) {
    old.removeListener(watch);
    return old.closeAsync();
  }

  @SuppressWarnings("FutureReturnValueIgnored") // connect reports by itself
  private void schedule(long millis) {
    synchronized (this) {
      if (closed) {
        return;
      }
    }
    try {
      timer.schedule(this::connect, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException closing) {
      // The store is being closed, and this link will be.
      return;
    }
  }

  static long pauseMillis(int failures) {
    long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 10));
    return pause - ThreadLocalRandom.current().nextLong(pause / 2);
  }

  CompletableFuture<List<Object>> send(Call call, Transport.Form form) {
    StatefulRedisConnection<byte[], byte[]> to = connection;
    return to == null ? unconnected() : LettuceCall.script(to.async(), call, form);
  }

  /** Sends a call to a node that takes over its slot and answers for it only when asked so. */
  CompletableFuture<List<Object>> sendAsking(Call call, Transport.Form form) {
    StatefulRedisConnection<byte[], byte[]> to = connection;
    return to == null ? unconnected() : LettuceCall.asking(to, call, form);
  }

  CompletableFuture<List<Object>> command(String... words) {
    StatefulRedisConnection<byte[], byte[]> to = connection;
    return to == null ? unconnected() : LettuceCall.command(to.async(), words);
  }

  private CompletableFuture<List<Object>> unconnected() {
    return CompletableFuture.failedFuture(
        new TransportException(RedisFailure.UNREACHABLE, "not connected to " + name, null));
  }

  /** Leaves the present connection, if any, for a new one. */
  void reconnect() {
    StatefulRedisConnection<byte[], byte[]> old = connection;
    if (old != null) {
      drop(old);
    }
  }

  boolean connected() {
    return connection != null;
  }

  /** Ends the connection for good. The client stays open. */
  void close() {
    StatefulRedisConnection<byte[], byte[]> last;
    synchronized (this) {
      closed = true;
      last = connection;
      connection = null;
    }
    if (last != null) {
      end(last).join();
    }
  }
}
