package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What an attacker on a denied key costs a real server. */
class DenialsTest {
  private static final Limit HOURLY = Limit.tokenBucket(5, Duration.ofHours(1));
  private static final long SECOND_NANOS = 1_000_000_000L;

  @Test
  void denialsAreFewerThanAHundredCallsASecondWhateverTheLoad() throws InterruptedException {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      RateLimiter limiter = sluice.limiter("api", HOURLY);
      limiter.tryAcquire("k", 5);
      assertThat(limiter.tryAcquire("k").allowed()).isFalse();
      long before = calls(server);
      long started = System.nanoTime();
      AtomicLong denied = new AtomicLong();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Thread thread =
            new Thread(
                () -> {
                  while (System.nanoTime() - started < SECOND_NANOS) {
                    if (!limiter.tryAcquire("k").allowed()) {
                      denied.incrementAndGet();
                    }
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      double seconds = (double) (System.nanoTime() - started) / SECOND_NANOS;
      long calls = calls(server) - before;
      assertThat((double) calls).as("%d denied", denied.get()).isLessThan(100 * seconds);
      assertThat(denied.get()).isGreaterThan(100 * calls);
    }
  }

  @Test
  void resetByAnotherProcessIsSeen() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()));
        Sluice elsewhere = Sluice.of(Stores.patient(server.uri()))) {
      RateLimiter limiter = sluice.limiter("api", HOURLY);
      limiter.tryAcquire("k", 5);
      assertThat(limiter.tryAcquire("k").allowed()).isFalse();
      elsewhere.limiter("api", HOURLY).reset("k");
      Await.until(Duration.ofSeconds(5), () -> limiter.tryAcquire("k").allowed(), "it passes");
    }
  }

  @Test
  void everyDenialIsAskedForWhereNoneIsHeld() {
    RedisOptions options =
        RedisOptions.defaults().withDeadline(Stores.PATIENCE).withDenialsHeld(Duration.ZERO);
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        Sluice sluice = Sluice.of(RedisStore.connect(RedisAddress.parse(server.uri()), options))) {
      RateLimiter limiter = sluice.limiter("api", HOURLY);
      limiter.tryAcquire("k", 5);
      long before = calls(server);
      for (int i = 0; i < 10; i++) {
        assertThat(limiter.tryAcquire("k").allowed()).isFalse();
      }
      assertThat(calls(server) - before).isEqualTo(10);
    }
  }

  private static long calls(RedisServer server) {
    return String.valueOf(server.command("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
        .mapToLong(
            line -> Long.parseLong(line.replaceAll("^cmdstat_evalsha:calls=(\\d+),.*", "$1")))
        .sum();
  }
}
