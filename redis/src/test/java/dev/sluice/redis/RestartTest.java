package dev.sluice.redis;

import static dev.sluice.redis.Outcomes.BACK;
import static dev.sluice.redis.Outcomes.HUGE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers and limiters that come and go under load. */
class RestartTest {
  private static final int THREADS = 4;
  private static final int KILLS = 20;

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  /**
   * What a killed process wrote before it answered is in the hands of the operating system. Not
   * with {@code everysec}: while the last fsync is under way, Redis answers before it writes.
   */
  @ParameterizedTest
  @MethodSource("servers")
  void killedServerWithAppendonlyForgetsNothing(RedisBinary binary) throws Exception {
    int kills = binary.equals(RedisBinary.bundled()) ? KILLS : KILLS / 4;
    try (RedisServer server = RedisServer.on(binary).appendOnly("always").start();
        Sluice sluice = Sluice.of(Stores.withDeadline(server.uri(), Duration.ofMillis(500)))) {
      RateLimiter limiter = Outcomes.denying(sluice, HUGE);
      Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
      AtomicBoolean running = new AtomicBoolean(true);
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      List<Future<?>> loads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        loads.add(threads.submit(() -> load(limiter, running, outcomes)));
      }
      for (int kill = 0; kill < kills; kill++) {
        long before = count(outcomes, "allowed");
        Await.until(BACK, () -> count(outcomes, "allowed") > before + 50, "it decides");
        server.kill9();
        server.restart();
      }
      running.set(false);
      for (Future<?> load : loads) {
        load.get();
      }
      threads.shutdown();
      long admitted = count(outcomes, "allowed");
      // Nobody knows whether these ran.
      long perhaps = count(outcomes, "lost") + count(outcomes, "timeout");
      long used = Outcomes.used(limiter, "k");
      System.out.printf(
          "%s killed %d times: %d admitted, %d perhaps, %d known to the server%n",
          binary, kills, admitted, perhaps, used);
      assertThat(used).isBetween(admitted, admitted + perhaps);
      assertThat(count(outcomes, "denied")).isZero();
    }
  }

  private static void load(
      RateLimiter limiter, AtomicBoolean running, Map<String, LongAdder> outcomes) {
    while (running.get()) {
      String outcome = Outcomes.of(limiter, "k");
      outcomes.computeIfAbsent(outcome, unseen -> new LongAdder()).increment();
      LockSupport.parkNanos(500_000);
    }
  }

  private static long count(Map<String, LongAdder> outcomes, String outcome) {
    LongAdder count = outcomes.get(outcome);
    return count == null ? 0 : count.sum();
  }

  @Test
  void limitersThatAreReplacedOneByOneLoseNoCount() throws Exception {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      List<Future<Integer>> counts = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        counts.add(
            threads.submit(
                () -> {
                  int admitted = 0;
                  for (int life = 0; life < 5; life++) {
                    try (Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
                      RateLimiter limiter = Outcomes.denying(sluice, HUGE);
                      for (int i = 0; i < 50; i++) {
                        assertThat(limiter.tryAcquire("k").allowed()).isTrue();
                        admitted++;
                      }
                    }
                  }
                  return admitted;
                }));
      }
      int admitted = 0;
      for (Future<Integer> count : counts) {
        admitted += count.get();
      }
      threads.shutdown();
      try (Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
        assertThat(Outcomes.used(Outcomes.denying(sluice, HUGE), "k")).isEqualTo(admitted);
      }
    }
  }
}
