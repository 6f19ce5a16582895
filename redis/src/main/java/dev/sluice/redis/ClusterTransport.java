package dev.sluice.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to each primary of a cluster. Lettuce follows MOVED and ASK, which say that a call
 * did not run, and learns the slots anew when nodes are lost or {@link #reconnect} asks for it.
 */
final class ClusterTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
  private static final long LEARN_PAUSE_NANOS = 200_000_000;
  private static final Object UNKNOWN = "unknown node";

  private final RedisAddress address;
  private final RedisClusterClient client;
  private final ClientResources resources;
  private final ScheduledExecutorService timer;
  private final Runnable onConnect;
  private final AtomicLong learntNanos = new AtomicLong(System.nanoTime() - LEARN_PAUSE_NANOS);
  private volatile @Nullable StatefulRedisClusterConnection<byte[], byte[]> connection;
  private volatile boolean closed;

  ClusterTransport(
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      Runnable onConnect) {
    this.address = address;
    this.resources = LettuceSettings.resources();
    this.client = RedisClusterClient.create(resources, LettuceSettings.uris(address, options));
    this.client.setOptions(LettuceSettings.cluster(options));
    this.timer = timer;
    this.onConnect = onConnect;
  }

  @Override
  public CompletableFuture<Void> connect() {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    if (closed) {
      outcome.complete(null);
      return outcome;
    }
    CompletableFuture<?> unused =
        client
            .refreshPartitionsAsync()
            .toCompletableFuture()
            .thenCompose(known -> client.connectAsync(ByteArrayCodec.INSTANCE))
            .whenComplete(
                (made, failure) -> {
                  if (made == null) {
                    failed(LettuceCall.of(failure, RedisFailure.UNREACHABLE), outcome);
                  } else {
                    connection = made;
                    LOG.info("redis: connected to {}", address);
                    onConnect.run();
                    outcome.complete(null);
                  }
                });
    return outcome;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // connect reports by itself
  private void failed(TransportException problem, CompletableFuture<Void> outcome) {
    LOG.debug("redis: cannot connect to {}", address, problem);
    if (!timer.isShutdown()) {
      long pause = 250 + ThreadLocalRandom.current().nextLong(250);
      timer.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }
    outcome.completeExceptionally(problem);
  }

  @Override
  public CompletableFuture<List<Object>> send(Call call, Form form, long deadlineNanos) {
    StatefulRedisClusterConnection<byte[], byte[]> to = connection;
    if (to == null) {
      return unconnected();
    }
    CompletableFuture<List<Object>> reply = LettuceCall.script(to.async(), call, form);
    CompletableFuture<?> unused =
        reply.whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                learnAfter(LettuceCall.of(failure, RedisFailure.LOST).failure());
              }
            });
    return reply;
  }

  /** What says that the slots may have moved. */
  private void learnAfter(RedisFailure failure) {
    switch (failure) {
      case UNREACHABLE, LOST, CLUSTERDOWN, LOADING -> reconnect();
      default -> {}
    }
  }

  @Override
  public CompletableFuture<List<Object>> command(String... words) {
    StatefulRedisClusterConnection<byte[], byte[]> to = connection;
    return to == null ? unconnected() : LettuceCall.command(to.async(), words);
  }

  private CompletableFuture<List<Object>> unconnected() {
    return CompletableFuture.failedFuture(
        new TransportException(RedisFailure.UNREACHABLE, "not connected to " + address, null));
  }

  @Override
  public Object nodeOf(Call call) {
    StatefulRedisClusterConnection<byte[], byte[]> to = connection;
    if (to == null) {
      return UNKNOWN;
    }
    int slot = SlotHash.getSlot(call.keys().get(0));
    RedisClusterNode node = to.getPartitions().getPartitionBySlot(slot);
    return node == null ? UNKNOWN : node.getNodeId();
  }

  @Override
  public boolean together(byte[] key, byte[] other) {
    return SlotHash.getSlot(key) == SlotHash.getSlot(other);
  }

  /** Learns the slots anew, at most five times a second: many callers meet one failure. */
  @Override
  public void reconnect() {
    long last = learntNanos.get();
    long now = System.nanoTime();
    if (!closed && now - last >= LEARN_PAUSE_NANOS && learntNanos.compareAndSet(last, now)) {
      CompletableFuture<?> unused =
          client
              .refreshPartitionsAsync()
              .toCompletableFuture()
              .whenComplete(
                  (done, failure) -> {
                    if (failure != null) {
                      LOG.debug("redis: cannot learn the slots of {}", address, failure);
                    }
                  });
    }
  }

  @Override
  public boolean connected() {
    return connection != null;
  }

  @Override
  public void close() {
    closed = true;
    StatefulRedisClusterConnection<byte[], byte[]> last = connection;
    connection = null;
    if (last != null) {
      last.close();
    }
    client.shutdown(0, 1, TimeUnit.SECONDS);
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
