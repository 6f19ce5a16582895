package dev.sluice.redis;

import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/** One link to one primary: a server, a Unix socket, or whom the sentinels name. */
final class ServerTransport implements Transport {
  private final LettuceClient client;
  private final Link link;

  ServerTransport(
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      Runnable onConnect) {
    this.client = new LettuceClient(options, timer);
    RedisURI uri = LettuceSettings.uri(address, options);
    this.link = client.link(uri, address, onConnect);
    if (address.kind() == RedisAddress.Kind.SENTINEL) {
      client.watch(uri, link::reconnect);
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
    return link;
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
    link.close();
    client.close();
  }
}
