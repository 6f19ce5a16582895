package dev.sluice.examples.payments;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A provider, three workers in processes of their own, and what the provider saw of them. */
public final class PaymentDemo {
  private static final int WORKERS = 3;

  private PaymentDemo() {}

  /** {@code PaymentDemo [REDIS]}: by default a Redis of its own, the one that the tests run on. */
  public static void main(String[] args) throws Exception {
    if (args.length > 0) {
      show(args[0]);
      return;
    }
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start()) {
      show(redis.uri());
    }
  }

  private static void show(String redis) throws Exception {
    try (Provider provider = new Provider();
        Workers workers = Workers.start(WORKERS, redis, provider.uri())) {
      System.out.println("three workers, 100 calls a second for all of them, 30 seconds …");
      for (int i = 0; i < 30 && workers.allRun(); i++) {
        TimeUnit.SECONDS.sleep(1);
      }
      System.out.printf(
          "most calls in any second: %d of 100; in any 20 seconds: %d of 2000; by worker: %s%n",
          provider.mostIn(Duration.ofSeconds(1)),
          provider.mostIn(Duration.ofSeconds(20)),
          provider.workers());
    }
  }
}
