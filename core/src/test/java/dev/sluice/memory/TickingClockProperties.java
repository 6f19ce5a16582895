package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A clock that ticks, late and unevenly, never admits more than an exact one might. */
class TickingClockProperties {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final List<Limit> LIMITS =
      List.of(
          Limit.tokenBucket(10, SECOND),
          Limit.tokenBucket(1_000, SECOND),
          Limit.tokenBucket(7, SECOND).burst(30),
          // Fills in less than a second: takes the exact time.
          Limit.tokenBucket(1_000, SECOND).burst(10));

  private final FakeClock exact = new FakeClock();
  private final TickingClock ticking = new TickingClock(exact);

  static LongStream seeds() {
    return LongStream.range(0, 60);
  }

  private record Pass(long at, long cost) {}

  @ParameterizedTest
  @MethodSource("seeds")
  void noTimeHoldsMoreThanTheBurstAndItsRefills(long seed) throws InterruptedException {
    Random random = new Random(seed);
    for (Limit limit : LIMITS) {
      RateLimiter limiter = Sluice.of(new InMemoryStore(ticking, 10)).limiter("p", limit);
      List<Pass> passes = new ArrayList<>();
      for (int step = 0; step < 400; step++) {
        exact.advanceMicros(pause(random));
        if (random.nextInt(3) == 0) {
          ticking.tick();
        }
        long cost = 1 + random.nextLong(random.nextBoolean() ? 1 : limit.capacity());
        // Now and then by the exact way: the two must not disagree about the time.
        boolean passed =
            random.nextInt(10) == 0
                ? limiter.acquire("k", cost, Duration.ZERO).allowed()
                : limiter.tryAcquire("k", cost).allowed();
        if (passed) {
          passes.add(new Pass(exact.nowMicros(), cost));
        }
        if (random.nextInt(20) == 0) {
          limiter.peek("k");
        }
      }
      assertWithinBurstAndRate(passes, limit, "seed %d, %s".formatted(seed, limit));
    }
  }

  private static void assertWithinBurstAndRate(List<Pass> passes, Limit limit, String as) {
    for (int from = 0; from < passes.size(); from++) {
      long sum = 0;
      for (int to = from; to < passes.size(); to++) {
        sum += passes.get(to).cost;
        long time = passes.get(to).at - passes.get(from).at;
        assertThat(sum)
            .as("%s, passes %d to %d", as, from, to)
            .isLessThanOrEqualTo(limit.capacity() + time * limit.permits() / limit.perMicros());
      }
    }
  }

  /** Mostly less than a tick; now and then a thread that does not get its turn, or a long rest. */
  private static long pause(Random random) {
    return switch (random.nextInt(10)) {
      case 0 -> random.nextLong(100_000);
      case 1 -> random.nextLong(3_000_000);
      default -> random.nextLong(3_000);
    };
  }

  @Test
  void clockIsNeverFasterThanTheTimeAndLosesOnlyWhatIsBeyondTheSlack() {
    long start = ticking.nowMicros();
    exact.advanceMicros(5_000);
    assertThat(ticking.nowMicros() - start).isEqualTo(5_000);
    assertThat(ticking.ticks().nowMicros() - start).isZero();
    ticking.tick();
    assertThat(ticking.ticks().nowMicros() - start).isEqualTo(5_000);
    exact.advanceMicros(50_000);
    assertThat(ticking.nowMicros() - start).isEqualTo(25_000);
    ticking.tick();
    assertThat(ticking.ticks().nowMicros() - start).isEqualTo(25_000);
    exact.advanceMicros(1_000);
    assertThat(ticking.nowMicros() - start).isEqualTo(26_000);
  }

  @Test
  void bucketThatIsEmptyRefillsAsFastAsByAnExactClock() {
    RateLimiter limiter =
        Sluice.of(new InMemoryStore(ticking, 10)).limiter("p", Limit.tokenBucket(100, SECOND));
    limiter.tryAcquire("k", 100);
    long passed = 0;
    for (int i = 0; i < 100_000; i++) {
      exact.advanceMicros(1_000);
      ticking.tick();
      passed += limiter.tryAcquire("k").allowed() ? 1 : 0;
    }
    // 100 seconds, less the slack after it was full.
    assertThat(passed).isEqualTo(10_000 - 2);
  }

  @Test
  void newKeyHasAllOfItsPermitsBetweenTwoTicks() {
    RateLimiter limiter =
        Sluice.of(new InMemoryStore(ticking, 10)).limiter("p", Limit.tokenBucket(100, SECOND));
    exact.advanceMicros(5_000);
    assertThat(limiter.tryAcquire("k", 100).allowed()).isTrue();
  }

  @Test
  void storeWithAThreadGoesOnByItself() {
    try (InMemoryStore store = InMemoryStore.ticking(10)) {
      RateLimiter limiter = Sluice.of(store).limiter("p", Limit.tokenBucket(50, SECOND));
      limiter.tryAcquire("k", 50);
      while (!limiter.tryAcquire("k").allowed()) {
        Thread.onSpinWait();
      }
      assertThat(limiter.tryAcquire("k", 50).allowed()).isFalse();
    }
  }
}
