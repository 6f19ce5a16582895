package dev.sluice.redis;

import dev.sluice.redis.RedisAddress.Node;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which primary serves which slot, as a cluster told it. One entry may be put right at any time by
 * whoever is told better; a stale read only costs a redirection.
 */
final class ClusterSlots {
  static final int SLOTS = 16_384;

  private final @Nullable Node[] primaries;

  private ClusterSlots(@Nullable Node[] primaries) {
    this.primaries = primaries;
  }

  static ClusterSlots none() {
    return new ClusterSlots(new @Nullable Node[SLOTS]);
  }

  /**
   * Reads the reply of CLUSTER SLOTS: for each range its ends, then the primary, then replicas,
   * each with host and port.
   *
   * @param asked the host that answered: a node that does not know its own address leaves it out
   */
  static ClusterSlots of(List<Object> reply, String asked) {
    @Nullable Node[] primaries = new @Nullable Node[SLOTS];
    for (Object each : reply) {
      List<?> range = (List<?>) each;
      List<?> primary = (List<?>) range.get(2);
      Object host = primary.get(0);
      String name = host instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "";
      Node node =
          new Node(name.isEmpty() || name.equals("?") ? asked : name, number(primary.get(1)));
      Arrays.fill(primaries, number(range.get(0)), number(range.get(1)) + 1, node);
    }
    return new ClusterSlots(primaries);
  }

  private static int number(@Nullable Object value) {
    return Math.toIntExact((Long) Objects.requireNonNull(value));
  }

  /** The slot of all keys that decide about a caller's key. */
  static int slotOf(Prepared plan, String key) {
    return SlotHash.getSlot(KeyCodec.tag(plan.policyTag, plan.plan.policy(), key));
  }

  @Nullable Node primaryOf(int slot) {
    return primaries[slot];
  }

  void put(int slot, Node primary) {
    primaries[slot] = primary;
  }

  Set<Node> primaries() {
    Set<Node> all = new LinkedHashSet<>(Arrays.asList(primaries));
    all.remove(null);
    return all;
  }

  /** Whether every slot has a primary. */
  boolean complete() {
    return !Arrays.asList(primaries).contains(null);
  }

  /** The node named in {@code MOVED 3999 127.0.0.1:6381} or ASK; null where there is none. */
  static @Nullable Node target(String redirection, Node asked) {
    String[] words = redirection.split(" ", -1);
    int colon = words.length > 2 ? words[2].lastIndexOf(':') : -1;
    if (colon < 0) {
      return null;
    }
    String host = words[2].substring(0, colon);
    try {
      int port = Integer.parseInt(words[2].substring(colon + 1));
      return new Node(host.isEmpty() ? asked.host() : host, port);
    } catch (NumberFormatException noPort) {
      return null;
    }
  }
}
