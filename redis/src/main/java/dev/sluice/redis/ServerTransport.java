package dev.sluice.redis;

import dev.sluice.MicroClock;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** One link to one primary: a server, a Unix socket, or whom the sentinels name. */
final class ServerTransport implements Transport {
  private final LettuceClient client;
  private final Link link;
  private final Lanes lanes;
  private volatile RedisAddress.@Nullable Node server; // connected to last

  /** Lanes are not for Unix sockets, which blocking sockets of Java 17 cannot be. */
  ServerTransport(
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      @Nullable MicroClock virtual,
      Runnable onConnect) {
    this.client = new LettuceClient(options, timer);
    // A text remembers its hash; each call asks for it.
    Object node = address.toString();
    this.lanes = new Lanes(node, Lanes.WIRES, address, options, timer, virtual);
    RedisURI uri = LettuceSettings.uri(address, options);
    this.link = client.link(uri, address, onConnect, new Beside());
    lanes.start();
    if (address.kind() == RedisAddress.Kind.SENTINEL) {
      client.watch(uri, this::follow);
    }
  }

  /** Who lost a dead primary has found the new one before the watch did, and stays with it. */
  private void follow(RedisAddress.@Nullable Node primary) {
    if (!Objects.equals(primary, server)) {
      link.reconnect();
    }
  }

  private final class Beside implements Link.Companion {
    @Override
    public void connected(StatefulRedisConnection<?, ?> to) {
      RedisAddress.Node node = client.nodeOf(to);
      server = node;
      if (node != null) {
        lanes.open(node);
      }
    }

    @Override
    public void lost() {
      lanes.leave();
    }
  }

  @Override
  public CompletableFuture<Void> connect() {
    return link.connect();
  }

  @Override
  public CompletableFuture<List<Object>> send(Call call, Form form, long deadlineNanos) {
    return link.send(call, form);
  }

  @Override
  public CompletableFuture<List<Object>> command(String... words) {
    return link.command(words);
  }

  @Override
  public Object nodeOf(Call call) {
    return lanes.node();
  }

  @Override
  public Set<Object> nodes() {
    return Set.of(lanes.node());
  }

  @Override
  public @Nullable Lanes lanes(Prepared plan, String key) {
    return lanes.usable() ? lanes : null;
  }

  @Override
  public boolean together(byte[] key, byte[] other) {
    return true;
  }

  @Override
  public void reconnect(Call call) {
    link.reconnect();
  }

  @Override
  public boolean connected() {
    return link.connected();
  }

  @Override
  public void close() {
    lanes.close();
    link.close();
    client.close();
  }
}
