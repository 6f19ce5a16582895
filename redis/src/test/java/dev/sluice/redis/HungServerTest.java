package dev.sluice.redis;

import static dev.sluice.redis.Outcomes.BACK;
import static dev.sluice.redis.Outcomes.HUGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Plan;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that is stopped: it accepts connections and bytes, and answers nothing. */
class HungServerTest {
  // Long enough for a machine that does other things too, short enough to wait for.
  private static final Duration DEADLINE = Duration.ofMillis(100);
  private static final int THREADS = 8;

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void costsOneDeadlineAndThenNothing(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).start();
        Sluice sluice = Sluice.of(Stores.withDeadline(server.uri(), DEADLINE))) {
      RateLimiter limiter = Outcomes.denying(sluice, HUGE);
      Outcomes.awaitDecided(limiter);
      server.suspend();
      assertThatThrownBy(() -> limiter.tryAcquire("k"))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessage("redis: no decision for policy 'test' within 100 ms");
      List<String> outcomes = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        outcomes.add(Outcomes.of(limiter, "k"));
      }
      // Nearly all were refused without asking: five failures open it, and probes are rare.
      assertThat(outcomes.stream().filter("breaker"::equals).count()).isGreaterThanOrEqualTo(85);
      assertThat(outcomes).isSubsetOf("timeout", "breaker", "unreachable");
    }
  }

  /** So a caller who has looked at the clock need not look again. */
  @Test
  void deadlineCountsFromWhenTheCallerSaysThatItBegan() {
    Plan plan = Plans.of("test", HUGE);
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        RedisStore store = Stores.withDeadline(server.uri(), Duration.ofMinutes(10))) {
      Await.until(BACK, () -> store.lanes(plan, "k") != null, "a wire is open");
      server.suspend();
      long aWhileAgo = System.nanoTime() - Duration.ofMinutes(10).toNanos();
      List<Throwable> told = new CopyOnWriteArrayList<>();
      assertThat(
              store.decideAsync(
                  Request.acquire(plan, "k", 1),
                  aWhileAgo,
                  (answer, failure) -> {
                    told.add(failure);
                    return Decision.unknown(Request.acquire(plan, "k", 1));
                  }))
          .succeedsWithin(BACK);
      assertThat(told)
          .singleElement()
          .isInstanceOf(StoreUnavailableException.class)
          .extracting(Throwable::getMessage)
          .isEqualTo("redis: no decision for policy 'test' within 600000 ms");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void loadIsAnsweredInTimeAndRecoversByItself(RedisBinary binary) throws Exception {
    try (RedisServer server = RedisServer.on(binary).start();
        RedisStore store = Stores.withDeadline(server.uri(), DEADLINE);
        Sluice sluice = Sluice.of(store)) {
      RateLimiter limiter = sluice.limiter("test", HUGE);
      AtomicBoolean running = new AtomicBoolean(true);
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      List<Future<List<Long>>> loads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        loads.add(threads.submit(load(limiter, running)));
      }
      Await.until(BACK, () -> store.ready() && !limiter.tryAcquire("k").degraded(), "it is warm");
      server.suspend();
      Await.until(BACK, () -> !store.ready(), "the breaker opens");
      long opened = System.nanoTime();
      Await.until(BACK, () -> System.nanoTime() - opened > 2_500_000_000L, "some seconds pass");

      server.resume();
      long resumed = System.nanoTime();
      Await.until(
          BACK, () -> store.ready() && !limiter.tryAcquire("k").degraded(), "the server decides");
      long recovery = (System.nanoTime() - resumed) / 1_000_000;
      running.set(false);
      List<Long> nanos = new ArrayList<>();
      for (Future<List<Long>> load : loads) {
        nanos.addAll(load.get());
      }
      threads.shutdown();
      nanos.sort(null);
      long slow = nanos.get((int) (nanos.size() * 0.999)) / 1_000_000;
      System.out.printf(
          "%s stopped under load, deadline %d ms: 99.9 %% of %d decisions within %d ms,"
              + " decides %d ms after it goes on%n",
          binary, DEADLINE.toMillis(), nanos.size(), slow, recovery);
      // By design half of it: a link pauses for half a second at most, a breaker likewise.
      assertThat(recovery).isLessThan(2_000);
      assertThat(slow).isLessThanOrEqualTo(2 * DEADLINE.toMillis());
    }
  }

  private static Callable<List<Long>> load(RateLimiter limiter, AtomicBoolean running) {
    return () -> {
      List<Long> nanos = new ArrayList<>();
      while (running.get()) {
        long started = System.nanoTime();
        limiter.tryAcquire("k");
        nanos.add(System.nanoTime() - started);
        // The load of a service, not a loop that starves the rest of the machine.
        LockSupport.parkNanos(1_000_000);
      }
      return nanos;
    };
  }
}
