package dev.sluice.redis;

import dev.sluice.Store;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.StoreContract;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisStoreContractTest extends StoreContract {
  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static RedisServer server;

  @BeforeAll
  static void start() {
    start(RedisBinary.bundled());
  }

  static void start(RedisBinary binary) {
    server = RedisServer.on(binary).line("databases 10000").start();
    DATABASES.set(0);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** A database of its own is as good as a server of its own, and much faster to have. */
  @Override
  public Store openStore(FakeClock clock) {
    String uri = server.uri() + "/" + DATABASES.getAndIncrement();
    return RedisStore.connect(
        RedisAddress.parse(uri), RedisOptions.defaults().withDeadline(Stores.PATIENCE), clock);
  }
}
