package dev.sluice.bench.redis;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;

/** SET over a blocking socket for each thread: the least that one call can take. */
final class Blocking implements Subject {
  private final BlockingQueue<Connection> all = new LinkedBlockingQueue<>();
  private final ThreadLocal<Connection> own;

  Blocking(String host, int port) {
    this.own =
        ThreadLocal.withInitial(
            () -> {
              Connection made = new Connection(new HostAndPort(host, port));
              all.add(made);
              return made;
            });
  }

  @Override
  public boolean ask(String key) {
    Connection connection = own.get();
    connection.sendCommand(Command.SET, key, "1");
    return "OK".equals(connection.getStatusCodeReply());
  }

  @Override
  public CompletionStage<Boolean> askAsync(String key) {
    throw new UnsupportedOperationException("a blocking socket has nothing in flight");
  }

  @Override
  public void close() {
    all.forEach(Connection::close);
  }
}
