package dev.sluice.redis;

import dev.sluice.MicroClock;
import dev.sluice.redis.RedisAddress.Node;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A link to each primary of a cluster. Follows MOVED and ASK, which say that a call did not run;
 * learns the slots anew when it is told that they moved, and twice a second while a primary is out
 * of reach. Lettuce's own cluster client is not used: it refuses calls to a node that it has not
 * talked to yet, and its replays are not ours to control.
 */
final class ClusterTransport implements Transport {
  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
  private static final int MOST_REDIRECTIONS = 5;
  private static final long PERIOD_MILLIS = 500;
  private static final Object UNKNOWN = "unknown node";
  private static final byte[] CHECKED_KEY =
      StartupCheck.PROBE_KEY.getBytes(java.nio.charset.StandardCharsets.US_ASCII);

  private final RedisAddress address;
  private final RedisOptions options;
  private final LettuceClient client;
  private final ScheduledExecutorService timer;
  private final Runnable onConnect;
  private final RunIds runIds;
  private final @Nullable MicroClock virtual;
  private final Map<Node, Link> links = new ConcurrentHashMap<>();
  private final Map<Node, Lanes> lanes = new ConcurrentHashMap<>();
  private volatile ClusterSlots slots = ClusterSlots.none();
  private volatile boolean connected;
  private @Nullable CompletableFuture<Void> learning; // guarded by this
  private boolean closed; // guarded by this

  ClusterTransport(
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      @Nullable MicroClock virtual,
      Runnable onConnect,
      Consumer<Node> onStateLoss) {
    this.address = address;
    this.options = options;
    this.client = new LettuceClient(options, timer);
    this.timer = timer;
    this.virtual = virtual;
    this.onConnect = onConnect;
    this.runIds = new RunIds(onStateLoss);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // learn reports by itself
  public CompletableFuture<Void> connect() {
    timer.scheduleWithFixedDelay(this::repair, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    return learn();
  }

  private void repair() {
    Set<Node> primaries = slots.primaries();
    if (primaries.isEmpty() || !primaries.stream().allMatch(node -> link(node).connected())) {
      CompletableFuture<Void> unused = learn();
    }
  }

  /** Asks any node for the slots. One question at a time; who asks meanwhile shares its outcome. */
  private CompletableFuture<Void> learn() {
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
    Set<Node> candidates = new LinkedHashSet<>();
    links.forEach(
        (node, link) -> {
          if (link.connected()) {
            candidates.add(node);
          }
        });
    candidates.addAll(address.nodes());
    askNext(List.copyOf(candidates), 0, outcome);
    return outcome;
  }

  private void askNext(List<Node> candidates, int at, CompletableFuture<Void> outcome) {
    Node node = candidates.get(at);
    Link link = link(node);
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

  /** Puts the slots in force once there is a link to each primary, or one could not be made. */
  private CompletableFuture<Void> learnt(ClusterSlots known) {
    Set<Node> primaries = known.primaries();
    if (primaries.isEmpty()) {
      return CompletableFuture.failedFuture(
          new TransportException(RedisFailure.CLUSTERDOWN, "the cluster has no slots", null));
    }
    CompletableFuture<?>[] connecting =
        primaries.stream()
            .map(node -> link(node).connect().exceptionally(unreachable -> null))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(connecting)
        .thenRun(
            () -> {
              slots = known;
              forgetOthers(primaries);
            });
  }

  private void forgetOthers(Set<Node> primaries) {
    for (Node node : Set.copyOf(links.keySet())) {
      if (!primaries.contains(node)) {
        Link gone = links.remove(node);
        runIds.forget(node);
        if (gone != null) {
          gone.close();
          closeLanes(node);
        }
      }
    }
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

  private Link link(Node node) {
    return links.computeIfAbsent(node, this::newLink);
  }

  private Link newLink(Node node) {
    Lanes beside = new Lanes(node, Lanes.WIRES_TO_NODE, address, options, timer, virtual);
    beside.start();
    lanes.put(node, beside);
    return client.link(
        LettuceSettings.uri(address, options, node),
        node,
        () -> look(node),
        new Link.Companion() {
          @Override
          public void connected(StatefulRedisConnection<?, ?> to) {
            beside.open(node);
          }

          @Override
          public void lost() {
            beside.leave();
          }
        });
  }

  private void look(Node node) {
    Link link = links.get(node);
    if (link != null) {
      runIds.look(node, link);
    }
  }

  private void closeLanes(Node node) {
    Lanes gone = lanes.remove(node);
    if (gone != null) {
      gone.close();
    }
  }

  @Override
  public CompletableFuture<List<Object>> send(Call call, Form form, long deadlineNanos) {
    int slot = SlotHash.getSlot(call.keys().get(0));
    Node node = slots.primaryOf(slot);
    if (node == null) {
      return CompletableFuture.failedFuture(
          new TransportException(
              connected ? RedisFailure.CLUSTERDOWN : RedisFailure.UNREACHABLE,
              connected ? "nobody serves slot " + slot : "not connected to " + address,
              null));
    }
    Redirected reply = new Redirected(call, form, slot);
    reply.follow(node, link(node).send(call, form));
    return reply;
  }

  /** A call that goes from node to node until one answers for its slot. */
  private final class Redirected extends CompletableFuture<List<Object>> {
    private final Call call;
    private final Form form;
    private final int slot;
    private int redirections;
    private volatile @Nullable CompletableFuture<List<Object>> sent;

    Redirected(Call call, Form form, int slot) {
      this.call = call;
      this.form = form;
      this.slot = slot;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the outcome is this
    void follow(Node node, CompletableFuture<List<Object>> reply) {
      sent = reply;
      reply.whenComplete(
          (answer, failure) -> {
            if (failure == null) {
              complete(answer);
            } else {
              redirect(node, LettuceCall.of(failure, RedisFailure.LOST));
            }
          });
    }

    private void redirect(Node node, TransportException problem) {
      RedisFailure failure = problem.failure();
      boolean moved = failure == RedisFailure.MOVED;
      Node target =
          moved || failure == RedisFailure.ASK
              ? ClusterSlots.target(problem.getMessage(), node)
              : null;
      if (target == null || ++redirections > MOST_REDIRECTIONS || isDone()) {
        completeExceptionally(problem);
        return;
      }
      if (moved) {
        slots.put(slot, target);
      }
      Link link = link(target);
      if (link.connected()) {
        resend(target, link, moved);
      } else {
        CompletableFuture<?> unused =
            link.connect()
                .whenComplete(
                    (done, unreachable) -> {
                      if (unreachable == null && !isDone()) {
                        resend(target, link, moved);
                      } else {
                        completeExceptionally(problem);
                      }
                    });
      }
    }

    private void resend(Node target, Link link, boolean moved) {
      follow(target, moved ? link.send(call, form) : link.sendAsking(call, form));
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
      boolean cancelled = super.cancel(mayInterrupt);
      CompletableFuture<List<Object>> last = sent;
      if (last != null) {
        last.cancel(mayInterrupt);
      }
      return cancelled;
    }
  }

  /** To the node of the key that the start-up check uses. */
  @Override
  public CompletableFuture<List<Object>> command(String... words) {
    Node node = slots.primaryOf(SlotHash.getSlot(CHECKED_KEY));
    return node == null
        ? CompletableFuture.failedFuture(
            new TransportException(RedisFailure.UNREACHABLE, "not connected to " + address, null))
        : link(node).command(words);
  }

  @Override
  public Object nodeOf(Call call) {
    Node node = slots.primaryOf(SlotHash.getSlot(call.keys().get(0)));
    return node == null ? UNKNOWN : node;
  }

  @Override
  public @Nullable Lanes lanes(Prepared plan, String key) {
    Node node = slots.primaryOf(ClusterSlots.slotOf(plan, key));
    Lanes open = node == null ? null : lanes.get(node);
    return open != null && open.usable() ? open : null;
  }

  @Override
  public boolean together(byte[] key, byte[] other) {
    return SlotHash.getSlot(key) == SlotHash.getSlot(other);
  }

  @Override
  public void reconnect(Call call) {
    Node node = slots.primaryOf(SlotHash.getSlot(call.keys().get(0)));
    if (node != null) {
      link(node).reconnect();
    }
    CompletableFuture<Void> unused = learn();
  }

  @Override
  public boolean connected() {
    return connected && slots.primaries().stream().allMatch(node -> link(node).connected());
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    Set.copyOf(lanes.keySet()).forEach(this::closeLanes);
    links.values().forEach(Link::close);
    client.close();
  }
}
