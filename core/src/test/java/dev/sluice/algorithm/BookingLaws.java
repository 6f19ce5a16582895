package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Reservation;
import dev.sluice.testkit.Histories;
import dev.sluice.testkit.Histories.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of limits that let requests book a place in the future. */
abstract class BookingLaws extends AlgorithmLaws {
  private static final Duration YEAR = Duration.ofDays(365);

  @ParameterizedTest
  @MethodSource("histories")
  void bookingsAreFirstComeFirstServedAndKeepThePromise(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    List<Pass> passes = new ArrayList<>();
    long last = 0;
    for (Step step : Histories.forwards(seed, limit, STEPS / 2)) {
      subject.clock.advanceMicros(step.pauseMicros());
      Reservation made = subject.limiter.reserve("k", step.cost(), YEAR, YEAR);
      Decision decision = made.decision();
      if (decision.allowed()) {
        // Settled at once, for a history may last longer than any reservation.
        subject.limiter.commit(made.id(), step.cost());
        assertThat(decision.passesAtMicros()).as("%s", step).isGreaterThanOrEqualTo(last);
        last = decision.passesAtMicros();
        passes.add(new Pass(last, step.cost()));
      }
    }
    assertPromise(limit, passes);
  }

  @ParameterizedTest
  @MethodSource("histories")
  void placesGivenBackKeepThePromise(Limit limit, long seed) {
    Subject subject = new Subject(limit);
    SplittableRandom random = new SplittableRandom(seed);
    List<Pass> passes = new ArrayList<>();
    List<Reservation> doubtful = new ArrayList<>();
    for (Step step : Histories.forwards(seed, limit, STEPS / 2)) {
      subject.clock.advanceMicros(step.pauseMicros());
      Reservation made = subject.limiter.reserve("k", 1, YEAR, YEAR);
      if (made.allowed()) {
        doubtful.add(made);
      }
      while (!doubtful.isEmpty() && random.nextInt(3) != 0) {
        Reservation one = doubtful.remove(random.nextInt(doubtful.size()));
        long at = one.decision().passesAtMicros();
        // Only who has not passed yet gives a place back; who has passed has used it.
        boolean leaves = at > subject.clock.nowMicros() && random.nextInt(3) == 0;
        // Not committed: a wait of a year has expired, and was given back.
        if (subject.limiter.commit(one.id(), leaves ? 0 : 1) && !leaves) {
          passes.add(new Pass(at, 1));
        }
      }
    }
    doubtful.forEach(one -> passes.add(new Pass(one.decision().passesAtMicros(), 1)));
    passes.sort(Comparator.comparingLong(Pass::at));
    assertPromise(limit, passes);
  }
}
