package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.testkit.SampleLimits;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** At most N in every half-open window of length P. */
class SlidingLogProperties extends BookingLaws {
  @Override
  List<Limit> limits() {
    return SampleLimits.slidingLogs();
  }

  @Override
  void assertPromise(Limit limit, List<Pass> passes) {
    for (Pass first : passes) {
      long taken =
          passes.stream()
              .filter(p -> p.at() >= first.at() && p.at() < first.at() + limit.perMicros())
              .mapToLong(Pass::cost)
              .sum();
      assertThat(taken).as("%s from %d", limit, first.at()).isLessThanOrEqualTo(limit.permits());
    }
  }

  @ParameterizedTest
  @MethodSource("histories")
  void neverAboveThePromiseWhileTheClockStepsBack(Limit limit, long seed) {
    neverAboveThePromiseInRealTime(limit, seed);
  }
}
