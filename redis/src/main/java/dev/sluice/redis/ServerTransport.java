package dev.sluice.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to one primary: a server, a Unix socket, or whom the sentinels name.
 *
 * <p>It reconnects by itself instead of leaving that to Lettuce: each connection begins from
 * nothing, with no command left over from the last, and asks the sentinels or the name service
 * anew. One attempt at a time, with pauses that double up to {@link #LONGEST_PAUSE_MILLIS} and vary
 * by half.
 */
final class ServerTransport implements Transport {
  static final long FIRST_PAUSE_MILLIS = 10;
  static final long LONGEST_PAUSE_MILLIS = 500;

  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

  private final RedisAddress address;
  private final RedisClient client;
  private final ClientResources resources;
  private final RedisURI uri;
  private final ScheduledExecutorService timer;
  private final Runnable onConnect;
  private volatile @Nullable StatefulRedisConnection<byte[], byte[]> connection;
  private boolean connecting; // guarded by this
  private boolean closed; // guarded by this
  private int failures; // guarded by this

  /**
   * A transport that is not connected yet.
   *
   * @param onConnect run after each connection was made
   */
  ServerTransport(
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      Runnable onConnect) {
    this.address = address;
    this.resources = LettuceSettings.resources();
    this.client = RedisClient.create(resources);
    this.client.setOptions(LettuceSettings.server(options));
    this.uri = LettuceSettings.uri(address, options);
    this.timer = timer;
    this.onConnect = onConnect;
    if (address.kind() == RedisAddress.Kind.SENTINEL) {
      new SentinelWatch(client, uri, this::reconnect).start(timer);
    }
  }

  @Override
  public CompletableFuture<Void> connect() {
    synchronized (this) {
      if (closed || connecting || connection != null) {
        return CompletableFuture.completedFuture(null);
      }
      connecting = true;
    }
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    CompletionStage<?> unused =
        client
            .connectAsync(ByteArrayCodec.INSTANCE, uri)
            .whenComplete(
                (made, failure) -> {
                  if (made == null) {
                    failed(LettuceCall.of(failure, RedisFailure.UNREACHABLE), outcome);
                  } else {
                    connected(made);
                    outcome.complete(null);
                  }
                });
    return outcome;
  }

  private void failed(TransportException problem, CompletableFuture<Void> outcome) {
    long pause;
    synchronized (this) {
      connecting = false;
      failures++;
      pause = pauseMillis(failures);
    }
    LOG.debug("redis: cannot connect to {}, next try in {} ms", address, pause, problem);
    schedule(pause);
    outcome.completeExceptionally(problem);
  }

  private void connected(StatefulRedisConnection<byte[], byte[]> made) {
    made.addListener(
        new RedisConnectionStateListener() {
          @Override
          public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
            disconnected(made);
          }
        });
    boolean unwanted;
    synchronized (this) {
      connecting = false;
      failures = 0;
      unwanted = closed || !made.isOpen();
      connection = unwanted ? null : made;
    }
    if (unwanted) {
      disconnected(made);
    } else {
      LOG.info("redis: connected to {}", address);
      onConnect.run();
    }
  }

  /** Also called by {@link #reconnect}, whichever comes first. */
  private void disconnected(StatefulRedisConnection<byte[], byte[]> old) {
    synchronized (this) {
      if (connection == old) {
        connection = null;
      }
    }
    CompletableFuture<Void> unused = old.closeAsync();
    schedule(pauseMillis(0));
  }

  @SuppressWarnings("FutureReturnValueIgnored") // connect reports by itself
  private void schedule(long millis) {
    if (!timer.isShutdown()) {
      timer.schedule(this::connect, millis, TimeUnit.MILLISECONDS);
    }
  }

  private static long pauseMillis(int failures) {
    long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(failures, 10));
    return pause - ThreadLocalRandom.current().nextLong(pause / 2);
  }

  @Override
  public CompletableFuture<List<Object>> send(Call call, Form form, long deadlineNanos) {
    StatefulRedisConnection<byte[], byte[]> to = connection;
    return to == null ? unconnected() : LettuceCall.script(to.async(), call, form);
  }

  @Override
  public CompletableFuture<List<Object>> command(String... words) {
    StatefulRedisConnection<byte[], byte[]> to = connection;
    return to == null ? unconnected() : LettuceCall.command(to.async(), words);
  }

  private CompletableFuture<List<Object>> unconnected() {
    return CompletableFuture.failedFuture(
        new TransportException(RedisFailure.UNREACHABLE, "not connected to " + address, null));
  }

  @Override
  public Object nodeOf(Call call) {
    return this;
  }

  @Override
  public boolean together(byte[] key, byte[] other) {
    return true;
  }

  @Override
  public void reconnect() {
    StatefulRedisConnection<byte[], byte[]> old = connection;
    if (old != null) {
      disconnected(old);
    }
  }

  @Override
  public boolean connected() {
    return connection != null;
  }

  @Override
  public void close() {
    StatefulRedisConnection<byte[], byte[]> last;
    synchronized (this) {
      closed = true;
      last = connection;
      connection = null;
    }
    if (last != null) {
      last.close();
    }
    client.shutdown(0, 1, TimeUnit.SECONDS);
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
