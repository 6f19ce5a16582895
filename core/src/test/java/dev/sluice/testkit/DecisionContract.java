package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Algorithm;
import dev.sluice.CalendarUnit;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A single request: what passes, what the answer says, and what is left behind. */
public interface DecisionContract extends StoreUnderTest {
  /** The limits of the parameterized tests. */
  static List<Limit> limits() {
    return SampleLimits.all();
  }

  /** Drains a key one by one. A bucket that starts low is let fill first. */
  private static void drain(RateLimiter limiter, FakeClock clock, Limit limit) {
    if (limit.initial() < limit.capacity()) {
      limiter.tryAcquire("k");
      clock.advanceMicros(limit.windowMicros());
    }
    while (limiter.tryAcquire("k").allowed()) {
      assertThat(limiter.peek("k").remaining()).isNotNegative();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void freshKeyHasItsCapacityAndNoMore(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          for (long left = limit.initial() - 1; left >= 0; left--) {
            Decision decision = limiter.tryAcquire("k");
            assertThat(decision.allowed()).as("%s", decision).isTrue();
            assertThat(decision.remaining()).as("%s", decision).isEqualTo(left);
            assertThat(decision.resetAfterMicros()).as("%s", decision).isPositive();
          }
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void costOfTheWholeCapacityPasses(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.tryAcquire("k");
          clock.advanceMicros(limiter.peek("k", limit.capacity()).retryAfterMicros());
          Decision decision = limiter.tryAcquire("k", limit.capacity());
          assertThat(decision.allowed()).as("%s", decision).isTrue();
          assertThat(decision.remaining()).isZero();
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void deniedUntilExactlyTheRetryTime(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          drain(limiter, clock, limit);
          Decision denied = limiter.tryAcquire("k", limit.capacity());
          assertThat(denied.retryAfterMicros()).isPositive();
          clock.advanceMicros(denied.retryAfterMicros() - 1);
          Decision early = limiter.tryAcquire("k", limit.capacity());
          assertThat(early.allowed()).as("%s", early).isFalse();
          assertThat(early.retryAfterMicros()).isEqualTo(1);
          clock.advanceMicros(1);
          assertThat(limiter.tryAcquire("k", limit.capacity()).allowed()).isTrue();
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void deniedRequestSpendsNothing(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.tryAcquire("k");
          Decision before = limiter.peek("k");
          assertThat(limiter.tryAcquire("k", limit.capacity()).allowed()).isFalse();
          assertThat(limiter.peek("k")).isEqualTo(before);
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void peekAnswersAsTryAcquireAndTakesNothing(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.peek("k");
          for (int i = 0; i < limit.capacity() + 2; i++) {
            Decision peeked = limiter.peek("k");
            assertThat(limiter.peek("k")).isEqualTo(peeked);
            Decision taken = limiter.tryAcquire("k");
            assertThat(taken.allowed()).isEqualTo(peeked.allowed());
            assertThat(taken.waitMicros()).isEqualTo(peeked.waitMicros());
            assertThat(taken.retryAfterMicros()).isEqualTo(peeked.retryAfterMicros());
          }
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void forceOfMoreThanTheCapacityTakesAll(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          Decision decision = limiter.force("k", limit.capacity() + 1);
          assertThat(decision.allowed()).isTrue();
          assertThat(decision.forced()).isTrue();
          assertThat(decision.remaining()).isZero();
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void forcePassesAndTakesWhatThereIs(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          Decision first = limiter.force("k", limit.capacity());
          assertThat(first.allowed()).isTrue();
          assertThat(first.forced()).isEqualTo(limit.initial() < limit.capacity());
          assertThat(first.remaining()).isZero();
          Decision second = limiter.force("k", 1);
          assertThat(second.allowed()).isTrue();
          assertThat(second.forced()).isTrue();
          assertThat(second.remaining()).isZero();
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void forceThatFindsNothingLeavesNoTrace(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.force("k", limit.capacity());
          clock.advanceMicros(1);
          Decision before = limiter.peek("k");
          assertThat(limiter.force("k", 1).forced()).isTrue();
          assertThat(limiter.peek("k")).isEqualTo(before);
        });
  }

  /** A leaky bucket is left out: there the places of those who wait cannot be given again. */
  static List<Limit> limitsThatRefund() {
    return limits().stream().filter(l -> l.algorithm() != Algorithm.LEAKY_BUCKET).toList();
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limitsThatRefund")
  default void refundGivesBackAndNeverLiftsAboveTheCapacity(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          drain(limiter, clock, limit);
          assertThat(limiter.refund("k", 1).remaining()).isEqualTo(Math.min(1, limit.capacity()));
          assertThat(limiter.refund("k", 1_000).remaining()).isEqualTo(limit.capacity());
          assertThat(limiter.refund("k", 1_000).remaining()).isEqualTo(limit.capacity());
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void resetForgetsTheKey(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          drain(limiter, clock, limit);
          assertThat(limiter.reset("k").remaining()).isEqualTo(limit.initial());
          assertThat(limiter.peek("k").remaining()).isEqualTo(limit.initial());
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void keysAreIndependent(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          drain(limiter, clock, limit);
          for (String other :
              List.of("K", "k ", "k\0", "k}", "{k", "k:k", "k_k", "ключ", "\ud800")) {
            assertThat(limiter.peek(other).remaining()).as(other).isEqualTo(limit.initial());
          }
          assertThat(limiter.peek("k").remaining()).isZero();
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void keyIsAsNeverSeenAfterItsResetTime(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          drain(limiter, clock, limit);
          clock.advanceMicros(limiter.peek("k").resetAfterMicros());
          assertThat(limiter.peek("k").remaining()).isEqualTo(limit.initial());
          assertThat(limiter.peek("k").limits()).isEqualTo(limiter.peek("unseen").limits());
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.DecisionContract#limits")
  default void manyThreadsGetExactlyTheCapacity(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          int threads = 4;
          ExecutorService pool = Executors.newFixedThreadPool(threads);
          try {
            Callable<Long> hammer =
                () -> IntStream.range(0, 20).filter(i -> limiter.tryAcquire("k").allowed()).count();
            long allowed = 0;
            List<Callable<Long>> all = IntStream.range(0, threads).mapToObj(i -> hammer).toList();
            for (Future<Long> each : pool.invokeAll(all)) {
              allowed += each.get();
            }
            assertThat(allowed).isEqualTo(limit.initial());
          } catch (InterruptedException | ExecutionException failure) {
            throw new AssertionError(failure);
          } finally {
            pool.shutdownNow();
          }
        });
  }

  @Test
  default void borrowedPermitsAreWaitedForByThoseWhoFollow() {
    walk(
        SampleLimits.borrowing(),
        """
           0  35 | yes  0     0  3500    # any cost passes
           0   1 | no   0  2500  3500
        2499   1 | no   0     1  1001
           1   1 | yes  0     0  1100
           0   1 | no   0   100  1100""");
  }

  @Test
  default void forceTakesWhatARequestWouldBorrow() {
    walk(
        SampleLimits.borrowing(),
        """
           0  force 35 | yes     0     0  3500
           0  force  1 | forced  0     0  3500    # something is owed: there is nothing to take
        2500  force  5 | yes     0     0  1500""");
  }

  @Test
  default void forceBorrowsNoMoreThanCanPass() {
    withLimiter(
        Limit.tokenBucket(1, Duration.ofDays(1)).borrow(),
        (limiter, clock) -> {
          Decision forced = limiter.force("k", 36_526);
          assertThat(forced.forced()).isTrue();
          assertThat(forced.resetAfter()).isEqualTo(Duration.ofDays(36_525));
        });
  }

  @Test
  default void calendarDayFollowsTheClocksOfItsZone() {
    ZoneId paris = ZoneId.of("Europe/Paris");
    Limit daily = Limit.calendarWindow(2, CalendarUnit.DAY, paris);
    // Clocks go forward on 29 March 2026 and back on 25 October: days of 23 and of 25 hours.
    dayLasts(daily, "2026-03-28T23:00:00Z", Duration.ofHours(23));
    dayLasts(daily, "2026-10-24T22:00:00Z", Duration.ofHours(25));
    dayLasts(daily, "2026-07-01T22:00:00Z", Duration.ofHours(24));
  }

  private void dayLasts(Limit daily, String start, Duration length) {
    withLimiter(
        daily,
        (limiter, clock) -> {
          clock.set(Instant.parse(start).toEpochMilli() * 1_000);
          limiter.tryAcquire("k", 2);
          assertThat(limiter.tryAcquire("k").retryAfter()).as(start).isEqualTo(length);
          clock.advance(length.minusNanos(1_000));
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          clock.advanceMicros(1);
          assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
        });
  }

  @Test
  default void costAboveTheCapacityNeverPassesAndHasNoRetryTime() {
    for (Limit limit : limits()) {
      walk(limit, "0 %d | no %d never".formatted(limit.capacity() + 1, limit.initial()));
    }
  }
}
