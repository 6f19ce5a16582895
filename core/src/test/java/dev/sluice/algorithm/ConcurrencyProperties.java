package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.testkit.Histories;
import dev.sluice.testkit.Histories.Step;
import dev.sluice.testkit.SampleLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** At most N held, and nobody holds longer than a lease. */
class ConcurrencyProperties extends AlgorithmLaws {
  @Override
  List<Limit> limits() {
    return List.of(SampleLimits.concurrency(), Limit.concurrency(1), Limit.concurrency(40));
  }

  @Override
  void assertPromise(Limit limit, List<Pass> passes) {
    for (Pass last : passes) {
      long held =
          passes.stream()
              .filter(p -> p.at() <= last.at() && p.at() + limit.perMicros() > last.at())
              .mapToLong(Pass::cost)
              .sum();
      assertThat(held).as("%s at %d", limit, last.at()).isLessThanOrEqualTo(limit.permits());
    }
  }

  private record Held(String lease, long cost, long ends) {}

  @ParameterizedTest
  @MethodSource("histories")
  void releasedAndEndedPermitsAreFreeAndNoOthers(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    SplittableRandom random = new SplittableRandom(seed);
    List<Held> held = new ArrayList<>();
    for (Step step : Histories.forwards(seed, limit, STEPS)) {
      subject.clock.advanceMicros(step.pauseMicros());
      long now = subject.clock.nowMicros();
      if (!held.isEmpty() && random.nextInt(3) == 0) {
        Held one = held.remove(random.nextInt(held.size()));
        assertThat(subject.sluice.release(one.lease())).isEqualTo(one.ends() > now);
      }
      held.removeIf(one -> one.ends() <= now);
      long free = limit.permits() - held.stream().mapToLong(Held::cost).sum();
      Decision decision = subject.limiter.tryAcquire("k", step.cost());
      assertThat(decision.allowed()).isEqualTo(step.cost() <= free);
      if (decision.allowed()) {
        String lease = decision.lease().orElseThrow();
        held.add(new Held(lease, step.cost(), now + limit.perMicros()));
      }
    }
  }
}
