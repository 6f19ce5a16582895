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
  private final RedisAddress address;
  private final RedisOptions options;
  private final LettuceClient client;
  private final ScheduledExecutorService timer;
  private final @Nullable MicroClock virtual;
  private final RunIds runIds;
  private final Map<Node, Link> links = new ConcurrentHashMap<>();
  private final Map<Node, Lanes> lanes = new ConcurrentHashMap<>();
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
    return links.computeIfAbsent(node, this::newLink);
  }

  private Link newLink(Node node) {
    Lanes beside = new Lanes(node, Lanes.WIRES_TO_NODE, address, options, timer, virtual);
    beside.start();
    lanes.put(node, beside);
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
    if (closed) {
      // Whoever was still looking for a node would leave its threads behind.
      link.close();
      closeLanes(node);
    }
    return link;
  }

  private void look(Node node) {
    Link link = links.get(node);
    if (link != null) {
      runIds.look(node, link);
    }
  }

  /** The lanes to a node, if they can be used. */
  @Nullable Lanes lanesTo(Node node) {
    Lanes open = lanes.get(node);
    return open != null && open.usable() ? open : null;
  }

  /** The nodes to which there is a connection. */
  Set<Node> connected() {
    return links.entrySet().stream()
        .filter(each -> each.getValue().connected())
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  boolean connectedTo(Set<Node> nodes) {
    return nodes.stream().allMatch(node -> to(node).connected());
  }

  void forgetOthers(Set<Node> nodes) {
    for (Node node : Set.copyOf(links.keySet())) {
      if (!nodes.contains(node)) {
        Link gone = links.remove(node);
        runIds.forget(node);
        if (gone != null) {
          gone.close();
          closeLanes(node);
        }
      }
    }
  }

  private void closeLanes(Node node) {
    Lanes gone = lanes.remove(node);
    if (gone != null) {
      gone.close();
    }
  }

  @Override
  public void close() {
    closed = true;
    Set.copyOf(lanes.keySet()).forEach(this::closeLanes);
    links.values().forEach(Link::close);
    client.close();
  }
}
