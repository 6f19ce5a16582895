package dev.sluice.redis;

import dev.sluice.redis.RedisAddress.Node;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which primary serves which slot, asked of any node: at the start, when somebody is told that the
 * slots moved, and twice a second while a primary is out of reach.
 */
final class ClusterWatch {
  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
  private static final long PERIOD_MILLIS = 500;

  private final RedisAddress address;
  private final RedisOptions options;
  private final ClusterLinks links;
  private final Runnable onConnect;
  private volatile ClusterSlots slots = ClusterSlots.none();
  private volatile boolean connected;
  private @Nullable CompletableFuture<Void> learning; // guarded by this
  private boolean closed; // guarded by this

  ClusterWatch(RedisAddress address, RedisOptions options, ClusterLinks links, Runnable onConnect) {
    this.address = address;
    this.options = options;
    this.links = links;
    this.onConnect = onConnect;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // learn reports by itself
  void start(ScheduledExecutorService timer) {
    timer.scheduleWithFixedDelay(this::repair, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** As they were learnt last. */
  ClusterSlots slots() {
    return slots;
  }

  /** Whether the slots were ever learnt. */
  boolean connected() {
    return connected;
  }

  private void repair() {
    Set<Node> primaries = slots.primaries();
    if (primaries.isEmpty() || !links.connectedTo(primaries)) {
      CompletableFuture<Void> unused = learn();
    }
  }

  /** Asks any node for the slots. One question at a time; who asks meanwhile shares its outcome. */
  CompletableFuture<Void> learn() {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    synchronized (this) {
      if (closed) {
        return CompletableFuture.completedFuture(null);
      }
      if (learning != null) {
        return learning;
      }
      learning = outcome;
    }
    Set<Node> candidates = new LinkedHashSet<>(links.connected());
    candidates.addAll(address.nodes());
    askNext(List.copyOf(candidates), 0, outcome);
    return outcome;
  }

  private void askNext(List<Node> candidates, int at, CompletableFuture<Void> outcome) {
    Node node = candidates.get(at);
    Link link = links.to(node);
    CompletableFuture<?> unused =
        link.connect()
            .thenCompose(done -> link.command("CLUSTER", "SLOTS"))
            .orTimeout(options.connectTimeout().toMillis(), TimeUnit.MILLISECONDS)
            .thenApply(reply -> ClusterSlots.of(reply, node.host()))
            .thenCompose(this::learnt)
            .whenComplete(
                (done, failure) -> {
                  if (failure == null) {
                    learnt(outcome, null);
                  } else if (at + 1 < candidates.size()) {
                    askNext(candidates, at + 1, outcome);
                  } else {
                    learnt(outcome, failure);
                  }
                });
  }

  /**
   * Puts the slots in force once there is a link to each primary, or one could not be made. Where
   * other slots are in force a node that hangs, and may be a former primary, is not waited for.
   */
  private CompletableFuture<Void> learnt(ClusterSlots known) {
    Set<Node> primaries = known.primaries();
    if (primaries.isEmpty()) {
      return CompletableFuture.failedFuture(
          new TransportException(RedisFailure.CLUSTERDOWN, "the cluster has no slots", null));
    }
    long patience = connected ? PERIOD_MILLIS : options.connectTimeout().toMillis();
    CompletableFuture<?>[] connecting =
        primaries.stream()
            .map(node -> links.to(node).connect().exceptionally(unreachable -> null))
            .map(made -> made.completeOnTimeout(null, patience, TimeUnit.MILLISECONDS))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(connecting)
        .thenRun(
            () -> {
              slots = known;
              links.forgetOthers(primaries);
            });
  }

  private void learnt(CompletableFuture<Void> outcome, @Nullable Throwable failure) {
    boolean first;
    synchronized (this) {
      learning = null;
      first = failure == null && !connected;
      connected |= failure == null;
    }
    if (failure != null) {
      LOG.debug("redis: cannot learn the slots of {}", address, failure);
      outcome.completeExceptionally(LettuceCall.of(failure, RedisFailure.UNREACHABLE));
    } else {
      if (first) {
        onConnect.run();
      }
      outcome.complete(null);
    }
  }

  synchronized void stop() {
    closed = true;
  }
}
