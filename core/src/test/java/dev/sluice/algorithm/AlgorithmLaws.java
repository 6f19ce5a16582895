package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.Histories;
import dev.sluice.testkit.Histories.Step;
import dev.sluice.testkit.SampleLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws that hold for every algorithm, over random histories. A failure prints limit and seed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AlgorithmLaws {
  static final int STEPS = 200;
  private static final int SEEDS = 5;

  /** Permits that passed at an instant. */
  record Pass(long at, long cost) {}

  /** The limits for which the laws are checked. */
  abstract List<Limit> limits();

  /** Checks what the algorithm promises of all that passed, in order of time. */
  abstract void assertPromise(Limit limit, List<Pass> passes);

  Stream<Arguments> histories() {
    return SampleLimits.withSeeds(limits(), SEEDS);
  }

  /** One limiter on a clock of its own. */
  static final class Subject {
    final FakeClock clock = new FakeClock();
    final Sluice sluice = Sluice.of(new InMemoryStore(clock, 1_000));
    final RateLimiter limiter;

    Subject(Limit limit) {
      limiter = sluice.limiter("p", limit);
    }

    List<LimitDecision> state() {
      return limiter.peek("k").limits();
    }
  }

  @ParameterizedTest
  @MethodSource("histories")
  void neverAboveThePromise(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    List<Pass> passes = new ArrayList<>();
    for (Step step : Histories.forwards(seed, limit, STEPS)) {
      subject.clock.advanceMicros(step.pauseMicros());
      Decision decision = subject.limiter.tryAcquire("k", step.cost());
      if (decision.allowed()) {
        passes.add(new Pass(decision.passesAtMicros(), step.cost()));
      }
    }
    assertThat(passes).isNotEmpty();
    assertPromise(limit, passes);
  }

  @ParameterizedTest
  @MethodSource("histories")
  void denialChangesNothing(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    for (Step step : Histories.withStepsBack(seed, limit, STEPS)) {
      subject.clock.advanceMicros(step.pauseMicros());
      List<LimitDecision> before = subject.state();
      if (!subject.limiter.tryAcquire("k", step.cost()).allowed()) {
        assertThat(subject.state()).as("%s", step).isEqualTo(before);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("histories")
  void deniedUntilExactlyRetryAfterAndAllowedAtIt(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    int denials = 0;
    for (Step step : Histories.withStepsBack(seed, limit, STEPS)) {
      subject.clock.advanceMicros(step.pauseMicros());
      Decision decision = subject.limiter.tryAcquire("k", step.cost());
      if (!decision.allowed()) {
        denials++;
        subject.clock.advanceMicros(decision.retryAfterMicros() - 1);
        Decision early = subject.limiter.peek("k", step.cost());
        assertThat(early.allowed()).as("%s after %s", early, decision).isFalse();
        assertThat(early.retryAfterMicros()).as("%s after %s", early, decision).isEqualTo(1);
        subject.clock.advanceMicros(1);
        Decision due = subject.limiter.peek("k", step.cost());
        assertThat(due.allowed()).as("%s after %s", due, decision).isTrue();
      }
    }
    assertThat(denials).isPositive();
  }

  @ParameterizedTest
  @MethodSource("histories")
  void atOnceIsTheSameAsOneByOne(Limit limit, long seed) {
    Subject atOnce = new Subject(limit);
    Subject oneByOne = new Subject(limit);
    for (Step step : Histories.forwards(seed, limit, STEPS)) {
      atOnce.clock.advanceMicros(step.pauseMicros());
      oneByOne.clock.advanceMicros(step.pauseMicros());
      if (atOnce.limiter.tryAcquire("k", step.cost()).allowed()) {
        for (long i = 0; i < step.cost(); i++) {
          assertThat(oneByOne.limiter.tryAcquire("k").allowed()).as("%s", step).isTrue();
        }
      } else {
        assertThat(oneByOne.limiter.tryAcquire("k", step.cost()).allowed()).isFalse();
      }
      assertThat(oneByOne.state()).as("%s", step).isEqualTo(atOnce.state());
    }
  }

  @ParameterizedTest
  @MethodSource("histories")
  void clockStepBackNeverLoosensAndNeverBlocksLongerThanTwoPeriods(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    for (Step step : Histories.withStepsBack(seed, limit, STEPS)) {
      long before = subject.limiter.peek("k").remaining();
      subject.clock.advanceMicros(step.pauseMicros());
      if (step.pauseMicros() < 0) {
        Decision after = subject.limiter.peek("k");
        // A bucket that starts low is full for a period before it is forgotten: back to then, it
        // is.
        if (limit.initial() == limit.capacity()) {
          assertThat(after.remaining()).as("%s", step).isLessThanOrEqualTo(before);
        }
        assertThat(after.retryAfterMicros()).isLessThanOrEqualTo(2 * limit.perMicros());
      }
      subject.limiter.tryAcquire("k", step.cost());
    }
  }

  @ParameterizedTest
  @MethodSource("histories")
  void refundNeverLiftsAboveTheCapacity(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    for (Step step : Histories.withStepsBack(seed, limit, STEPS)) {
      subject.clock.advanceMicros(step.pauseMicros());
      subject.limiter.tryAcquire("k", step.cost());
      Decision refunded = subject.limiter.refund("k", 1 + (seed + step.cost()) % 7);
      assertThat(refunded.remaining()).isBetween(0L, limit.capacity());
      long remaining = subject.limiter.peek("k").remaining();
      if (remaining < limit.capacity()) {
        assertThat(subject.limiter.tryAcquire("k", remaining + 1).allowed()).isFalse();
      }
    }
  }

  /** A whole history in real time while the clock steps back now and then, for exact promises. */
  void neverAboveThePromiseInRealTime(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    List<Pass> passes = new ArrayList<>();
    long real = 0;
    for (Step step : Histories.withStepsBack(seed, limit, STEPS)) {
      subject.clock.advanceMicros(step.pauseMicros());
      real += Math.max(0, step.pauseMicros());
      if (subject.limiter.tryAcquire("k", step.cost()).allowed()) {
        passes.add(new Pass(real, step.cost()));
      }
    }
    assertPromise(limit, passes);
  }
}
