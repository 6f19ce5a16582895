package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.testkit.SampleLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Less than 2N in any window of length P, whatever comes; nearly exact where requests are even. */
class SlidingWindowProperties extends BookingLaws {
  @Override
  List<Limit> limits() {
    return SampleLimits.slidingWindows();
  }

  @Override
  void assertPromise(Limit limit, List<Pass> passes) {
    for (Pass first : passes) {
      long taken =
          passes.stream()
              .filter(p -> p.at() >= first.at() && p.at() < first.at() + limit.perMicros())
              .mapToLong(Pass::cost)
              .sum();
      assertThat(taken).as("%s from %d", limit, first.at()).isLessThan(2 * limit.permits());
    }
  }

  @ParameterizedTest
  @CsvSource({"60000, 90", "6000, 90", "1000, 90", "60000, 50"})
  void atMostOneInAThousandIsWrongOnUniformLoad(long precisionMillis, int percent) {
    Limit limit =
        Limit.slidingWindow(1_000, Duration.ofMinutes(1))
            .precision(Duration.ofMillis(precisionMillis));
    Subject subject = new Subject(limit);
    SplittableRandom random = new SplittableRandom(42);
    ArrayDeque<Long> lastMinute = new ArrayDeque<>();
    long spacing = limit.perMicros() * 100 / (limit.permits() * percent);
    int requests = 50_000;
    int wrong = 0;
    for (int i = 0; i < requests; i++) {
      subject.clock.advanceMicros(random.nextLong(2 * spacing + 1));
      long now = subject.clock.nowMicros();
      while (!lastMinute.isEmpty() && lastMinute.peek() <= now - limit.perMicros()) {
        lastMinute.remove();
      }
      boolean right = lastMinute.size() < limit.permits();
      boolean allowed = subject.limiter.tryAcquire("k").allowed();
      wrong += allowed == right ? 0 : 1;
      if (allowed) {
        lastMinute.add(now);
      }
    }
    assertThat(wrong).isLessThanOrEqualTo(requests / 1_000);
  }
}
