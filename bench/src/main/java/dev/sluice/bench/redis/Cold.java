package dev.sluice.bench.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntFunction;

/**
 * The first decisions of a JVM that has just started, with the default deadline: {@code Cold one |
 * threads | in-flight}. Prints how long each burst took, and how many of its answers were not the
 * store's.
 */
public final class Cold {
  private static final int BURSTS = 10;

  private Cold() {}

  public static void main(String[] args) {
    ExecutorService threads = Executors.newFixedThreadPool(32);
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        Sluice sluice = timed("open", () -> Sluice.redis(server.uri()))) {
      RateLimiter limiter = sluice.limiter("api", Limit.tokenBucket(1_000, Duration.ofHours(1)));
      switch (args[0]) {
        case "one" ->
            bursts(1, i -> CompletableFuture.completedFuture(limiter.tryAcquire("user" + i)));
        case "threads" ->
            bursts(
                320,
                i -> CompletableFuture.supplyAsync(() -> limiter.tryAcquire("user" + i), threads));
        case "in-flight" -> bursts(512, i -> limiter.tryAcquireAsync("user" + i));
        default ->
            throw new IllegalArgumentException(
                "must be one, threads or in-flight, got '%s'".formatted(args[0]));
      }
    } finally {
      threads.shutdown();
    }
  }

  private interface Opening {
    Sluice open();
  }

  private static Sluice timed(String what, Opening opening) {
    long started = System.nanoTime();
    Sluice opened = opening.open();
    System.out.printf("%s: %d ms%n", what, millisSince(started));
    return opened;
  }

  private static void bursts(int size, IntFunction<CompletableFuture<Decision>> ask) {
    for (int burst = 0; burst < BURSTS; burst++) {
      long started = System.nanoTime();
      List<CompletableFuture<Decision>> asked = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        asked.add(ask.apply(burst * size + i));
      }
      long degraded = asked.stream().filter(answer -> answer.join().degraded()).count();
      System.out.printf("%d: %d ms, %d degraded%n", size, millisSince(started), degraded);
    }
  }

  private static long millisSince(long started) {
    return (System.nanoTime() - started) / 1_000_000;
  }
}
