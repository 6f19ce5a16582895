package dev.sluice.redis;

import static dev.sluice.redis.Outcomes.BACK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.Resp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code SCRIPT FLUSH} every 50 ms under load, for every algorithm: nobody notices. With {@code
 * -Dseconds=60} for longer.
 */
class FlushedScriptsTest {
  private static final long MOST = 1_000_000;
  private static final Duration YEARS = Limit.LONGEST_PERIOD;

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  private static List<RateLimiter> limiters(Sluice sluice) {
    List<RateLimiter> limiters = new ArrayList<>();
    for (Limit limit :
        List.of(
            Limit.tokenBucket(MOST, YEARS),
            Limit.fixedWindow(MOST, YEARS),
            Limit.slidingLog(MOST, YEARS),
            Limit.slidingWindow(MOST, YEARS),
            Limit.leakyBucket(100, Duration.ofDays(1)).queue(MOST),
            Limit.concurrency(MOST).lease(YEARS))) {
      limiters.add(Outcomes.denying(sluice, "p" + limiters.size(), limit));
    }
    return limiters;
  }

  @ParameterizedTest
  @MethodSource("servers")
  void reachNoCallerAndChargeNobodyTwice(RedisBinary binary) throws Exception {
    try (RedisServer server = RedisServer.on(binary).start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      List<RateLimiter> limiters = limiters(sluice);
      ExecutorService threads = Executors.newFixedThreadPool(limiters.size());
      long until = System.nanoTime() + Integer.getInteger("seconds", 2) * 1_000_000_000L;
      List<Future<Long>> counts = new ArrayList<>();
      for (RateLimiter limiter : limiters) {
        counts.add(threads.submit(() -> hammer(limiter, until)));
      }
      int flushes = 0;
      while (System.nanoTime() - until < 0) {
        long next = System.nanoTime() + 50_000_000L;
        server.command("SCRIPT", "FLUSH");
        flushes++;
        Await.until(BACK, () -> System.nanoTime() - next > 0, "50 ms pass");
      }
      assertThat(flushes).isGreaterThan(10);
      long all = 0;
      for (int i = 0; i < counts.size(); i++) {
        long admitted = counts.get(i).get();
        all += admitted;
        long capacity = limiters.get(i).policy().limits().get(0).capacity();
        assertThat(capacity - limiters.get(i).peek("k").remaining()).isEqualTo(admitted);
      }
      System.out.printf("%s: %d flushes, %d calls, each counted once%n", binary, flushes, all);
      threads.shutdown();
      assertThat(Resp.asList(server.command("KEYS", "*")))
          .hasSize(limiters.size())
          .allSatisfy(key -> assertThat(life(server, key)).isPositive());
    }
  }

  private static long life(RedisServer server, Object key) {
    return Resp.asLong(server.command("PTTL", key.toString()));
  }

  /** One call after the other, and some at once. */
  private static long hammer(RateLimiter limiter, long untilNanos) {
    long admitted = 0;
    while (System.nanoTime() - untilNanos < 0) {
      assertThat(limiter.tryAcquire("k").allowed()).isTrue();
      List.of(
              limiter.tryAcquireAsync("k"),
              limiter.tryAcquireAsync("k"),
              limiter.tryAcquireAsync("k"))
          .forEach(soon -> assertThat(soon.join().allowed()).isTrue());
      admitted += 4;
    }
    return admitted;
  }
}
