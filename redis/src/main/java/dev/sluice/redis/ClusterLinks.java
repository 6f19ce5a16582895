package dev.sluice.redis;

import dev.sluice.MicroClock;
import dev.sluice.redis.RedisAddress.Node;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A link to each node of a cluster that somebody asked for, and the lanes beside it. */
final class ClusterLinks implements AutoCloseable {
  /** They come and go together: a node may be found again while it is being forgotten. */
  private record Way(Link link, Lanes lanes) {
    void close() {
      link.close();
      lanes.close();
    }
  }

  private final RedisAddress address;
  private final RedisOptions options;
  private final LettuceClient client;
  private final ScheduledExecutorService timer;
  private final @Nullable MicroClock virtual;
  private final RunIds runIds;
  private final Map<Node, Way> ways = new ConcurrentHashMap<>();
  private volatile boolean closed;

  ClusterLinks(
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      @Nullable MicroClock virtual,
      Consumer<Node> onStateLoss) {
    this.address = address;
    this.options = options;
    this.client = new LettuceClient(options, timer);
    this.timer = timer;
    this.virtual = virtual;
    this.runIds = new RunIds(onStateLoss);
  }

  /** The link to a node, connected or not. */
  Link to(Node node) {
    Way known = ways.get(node);
    if (known != null) {
      return known.link;
    }
    Way way = ways.computeIfAbsent(node, this::newWay);
    if (closed) {
      // Whoever was still looking for a node would leave its threads behind.
      way.close();
    }
    return way.link;
  }

  private Way newWay(Node node) {
    Lanes beside = new Lanes(node, Lanes.WIRES_TO_NODE, address, options, timer, virtual);
    beside.start();
    Link link =
        client.link(
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
    return new Way(link, beside);
  }

  private void look(Node node) {
    Way way = ways.get(node);
    if (way != null) {
      runIds.look(node, way.link);
    }
  }

  /** The lanes to a node, if they can be used. */
  @Nullable Lanes lanesTo(Node node) {
    Way way = ways.get(node);
    return way != null && way.lanes.usable() ? way.lanes : null;
  }

  /** The nodes to which there is a connection. */
  Set<Node> connected() {
    return ways.entrySet().stream()
        .filter(each -> each.getValue().link.connected())
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  boolean connectedTo(Set<Node> nodes) {
    return nodes.stream().allMatch(node -> to(node).connected());
  }

  void forgetOthers(Set<Node> nodes) {
    for (Node node : Set.copyOf(ways.keySet())) {
      if (!nodes.contains(node)) {
        Way gone = ways.remove(node);
        runIds.forget(node);
        if (gone != null) {
          gone.close();
        }
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    ways.values().forEach(way -> way.lanes.close());
    ways.values().forEach(way -> way.link.close());
    client.close();
  }
}
