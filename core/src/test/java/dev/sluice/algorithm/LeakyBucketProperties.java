package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.testkit.SampleLimits;
import java.util.List;

/** Passes are never closer than P/N, up to the microsecond that each is rounded to. */
class LeakyBucketProperties extends AlgorithmLaws {
  @Override
  List<Limit> limits() {
    return SampleLimits.leakyBuckets();
  }

  @Override
  void assertPromise(Limit limit, List<Pass> passes) {
    for (int i = 1; i < passes.size(); i++) {
      Pass before = passes.get(i - 1);
      long apart = passes.get(i).at() - before.at();
      long spacing = before.cost() * limit.perMicros() / limit.permits();
      assertThat(apart).as("%s at step %d", limit, i).isGreaterThanOrEqualTo(spacing);
    }
  }
}
