package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.testkit.Histories;
import dev.sluice.testkit.Histories.Step;
import dev.sluice.testkit.SampleLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The engine and an oracle that knows nothing of it give the same answers, figure by figure. */
class OracleTest {
  static Stream<Arguments> histories() {
    List<Limit> limits = new ArrayList<>(SampleLimits.all());
    // The oracle of buckets always starts full.
    limits.removeIf(limit -> limit.initial() < limit.capacity());
    limits.add(SampleLimits.concurrency());
    return SampleLimits.withSeeds(limits, 10);
  }

  private static Oracle oracle(Limit limit) {
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET ->
          limit.refill() == Limit.Refill.SMOOTH
              ? new TokenBucketOracle(limit)
              : new BatchOracle(limit);
      case FIXED_WINDOW -> new FixedWindowOracle(limit);
      case SLIDING_LOG -> new SlidingLogOracle(limit);
      case SLIDING_WINDOW -> new SlidingWindowOracle(limit);
      case LEAKY_BUCKET -> new LeakyBucketOracle(limit);
      case CONCURRENCY -> new ConcurrencyOracle(limit);
    };
  }

  @ParameterizedTest
  @MethodSource("histories")
  void engineAgreesWithTheOracle(Limit limit, long seed) {
    AlgorithmLaws.Subject subject = new AlgorithmLaws.Subject(limit);
    Oracle oracle = oracle(limit);
    for (Step step : Histories.forwards(seed, limit, 300)) {
      subject.clock.advanceMicros(step.pauseMicros());
      Decision said = subject.limiter.tryAcquire("k", step.cost());
      Oracle.Answer answer =
          new Oracle.Answer(
              said.allowed(),
              said.remaining(),
              said.retryAfterMicros(),
              said.resetAfterMicros(),
              said.waitMicros());
      assertThat(answer)
          .as("%s", step)
          .isEqualTo(oracle.ask(subject.clock.nowMicros(), step.cost()));
    }
  }
}
