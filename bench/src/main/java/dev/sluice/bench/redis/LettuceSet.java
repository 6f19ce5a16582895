package dev.sluice.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionStage;

/** SET by Lettuce: the unit that everything is compared with. */
final class LettuceSet implements Subject {
  private final StatefulRedisConnection<String, String> connection;

  LettuceSet(RedisClient client) {
    this.connection = client.connect();
  }

  @Override
  public boolean ask(String key) {
    return "OK".equals(connection.sync().set(key, "1"));
  }

  @Override
  public CompletionStage<Boolean> askAsync(String key) {
    return connection.async().set(key, "1").thenApply("OK"::equals);
  }

  @Override
  public void close() {
    connection.close();
  }
}
