package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.testkit.SampleLimits;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** At most B + N·T/P in any time T; where tokens come in batches, B + N·(⌊T/P⌋ + 1). */
class TokenBucketProperties extends BookingLaws {
  @Override
  List<Limit> limits() {
    return SampleLimits.tokenBuckets();
  }

  @Override
  void assertPromise(Limit limit, List<Pass> passes) {
    for (int from = 0; from < passes.size(); from++) {
      long taken = 0;
      for (int to = from; to < passes.size(); to++) {
        taken += passes.get(to).cost();
        long time = passes.get(to).at() - passes.get(from).at();
        long most = limit.capacity() + refilled(limit, time);
        // Not assertThat for each of many thousand pairs: describing them takes longer than
        // checking.
        if (taken > most) {
          fail("%s: %d in %d us, at most %d", limit, taken, time, most);
        }
      }
    }
  }

  private static long refilled(Limit limit, long time) {
    return limit.refill() == Limit.Refill.SMOOTH
        ? Math.multiplyExact(time, limit.permits()) / limit.perMicros()
        : (time / limit.perMicros() + 1) * limit.permits();
  }

  @ParameterizedTest
  @MethodSource("histories")
  void neverAboveThePromiseWhileTheClockStepsBack(Limit limit, long seed) {
    neverAboveThePromiseInRealTime(limit, seed);
  }

  /** From one in 30 days to a million a second, awkward primes among them. */
  static Stream<Arguments> rates() {
    Duration second = Duration.ofSeconds(1);
    return Stream.of(
        Arguments.of(1L, Duration.ofDays(30)),
        Arguments.of(7L, Duration.ofDays(30)),
        Arguments.of(99_991L, Duration.ofDays(365)),
        Arguments.of(3L, second),
        Arguments.of(1_009L, Duration.ofMillis(997)),
        Arguments.of(700_000L, second),
        Arguments.of(999_983L, second),
        Arguments.of(1_000_000L, second),
        Arguments.of(999_999_937L, Duration.ofSeconds(1_009)));
  }

  @ParameterizedTest
  @MethodSource("rates")
  void longRunRateIsExactAndNeverAbove(long permits, Duration per) {
    for (long cost : new long[] {1, permits}) {
      LongRun.assertRate(Limit.tokenBucket(permits, per), cost);
      LongRun.assertRate(Limit.leakyBucket(permits, per).queue(permits - 1), cost);
    }
    LongRun.assertRate(Limit.tokenBucket(permits, per).refill(Limit.Refill.INTERVAL), permits);
  }

  @ParameterizedTest
  @MethodSource("histories")
  void longIdleTimeOverflowsNothing(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    subject.limiter.tryAcquire("k", limit.capacity());
    subject.clock.advance(Duration.ofDays(365L * 200 + seed));
    Decision decision = subject.limiter.tryAcquire("k");
    assertThat(decision.remaining()).isBetween(0L, limit.capacity());
    assertThat(decision.resetAfterMicros()).isPositive();
  }
}
