package dev.sluice.redis;

import dev.sluice.Store;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.StoreContract;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of every store, on every server that is there. */
@ParameterizedClass
@MethodSource("servers")
class RedisStoreContractTest extends StoreContract {
  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static RedisServer server;

  @Parameter RedisBinary binary;

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @BeforeParameterizedClassInvocation
  static void start(RedisBinary binary) {
    server = RedisServer.on(binary).line("databases 10000").start();
    DATABASES.set(0);
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    server.close();
  }

  /** A database of its own is as good as a server of its own, and much faster to have. */
  @Override
  public Store openStore(FakeClock clock) {
    String uri = server.uri() + "/" + DATABASES.getAndIncrement();
    return RedisStore.connect(RedisAddress.parse(uri), Stores.patience(), clock);
  }
}
