package dev.sluice.redis;

import dev.sluice.MicroClock;
import dev.sluice.redis.RedisAddress.Node;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends each call to the primary of its slot. Lettuce's own cluster client is not used: it refuses
 * calls to a node that it has not talked to yet, and its replays are not ours to control.
 */
final class ClusterTransport implements Transport {
  private static final Object UNKNOWN = "unknown node";
  private static final byte[] CHECKED_KEY =
      StartupCheck.PROBE_KEY.getBytes(StandardCharsets.US_ASCII);

  private final RedisAddress address;
  private final ScheduledExecutorService timer;
  private final ClusterLinks links;
  private final ClusterWatch watch;

  ClusterTransport(
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      @Nullable MicroClock virtual,
      Runnable onConnect,
      Consumer<Node> onStateLoss) {
    this.address = address;
    this.timer = timer;
    this.links = new ClusterLinks(address, options, timer, virtual, onStateLoss);
    this.watch = new ClusterWatch(address, options, links, onConnect);
  }

  @Override
  public CompletableFuture<Void> connect() {
    watch.start(timer);
    return watch.learn();
  }

  @Override
  public CompletableFuture<List<Object>> send(Call call, Form form, long deadlineNanos) {
    int slot = SlotHash.getSlot(call.keys().get(0));
    Node node = watch.slots().primaryOf(slot);
    if (node == null) {
      boolean connected = watch.connected();
      return CompletableFuture.failedFuture(
          new TransportException(
              connected ? RedisFailure.CLUSTERDOWN : RedisFailure.UNREACHABLE,
              connected ? "nobody serves slot " + slot : "not connected to " + address,
              null));
    }
    return Redirected.send(call, form, slot, node, watch, links);
  }

  /** To the node of the key that the start-up check uses. */
  @Override
  public CompletableFuture<List<Object>> command(String... words) {
    Node node = primaryOf(CHECKED_KEY);
    return node == null
        ? CompletableFuture.failedFuture(
            new TransportException(RedisFailure.UNREACHABLE, "not connected to " + address, null))
        : links.to(node).command(words);
  }

  private @Nullable Node primaryOf(byte[] key) {
    return watch.slots().primaryOf(SlotHash.getSlot(key));
  }

  @Override
  public Object nodeOf(Call call) {
    Node node = primaryOf(call.keys().get(0));
    return node == null ? UNKNOWN : node;
  }

  @Override
  public Set<Object> nodes() {
    ClusterSlots slots = watch.slots();
    Set<Object> nodes = new HashSet<>(slots.primaries());
    if (!slots.complete()) {
      nodes.add(UNKNOWN);
    }
    return nodes;
  }

  @Override
  public @Nullable Lanes lanes(Prepared plan, String key) {
    Node node = watch.slots().primaryOf(ClusterSlots.slotOf(plan, key));
    return node == null ? null : links.lanesTo(node);
  }

  @Override
  public boolean together(byte[] key, byte[] other) {
    return SlotHash.getSlot(key) == SlotHash.getSlot(other);
  }

  @Override
  public void reconnect(Call call) {
    Node node = primaryOf(call.keys().get(0));
    if (node != null) {
      links.to(node).reconnect();
    }
    CompletableFuture<Void> unused = watch.learn();
  }

  @Override
  public boolean connected() {
    return watch.connected() && links.connectedTo(watch.slots().primaries());
  }

  @Override
  public void close() {
    watch.stop();
    links.close();
  }
}
