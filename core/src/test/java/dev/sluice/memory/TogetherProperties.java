package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All or nothing, over the limits of a policy and over the checks of a call. */
class TogetherProperties {
  private static final Duration SECOND = Duration.ofSeconds(1);

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 20);
  }

  /** Three policies of several limits each, on keys a to d. */
  private static final class Subject {
    final FakeClock clock = new FakeClock();
    final Sluice sluice = Sluice.of(new InMemoryStore(clock, 1_000));
    final List<RateLimiter> limiters =
        List.of(
            sluice.limiter("0", Limit.tokenBucket(9, SECOND), Limit.slidingLog(14, SECOND)),
            sluice.limiter("1", Limit.fixedWindow(8, SECOND), Limit.slidingWindow(10, SECOND)),
            sluice.limiter("2", Limit.concurrency(6).lease(SECOND), Limit.counter(9, SECOND)));

    List<List<LimitDecision>> state() {
      List<List<LimitDecision>> state = new ArrayList<>();
      for (RateLimiter limiter : limiters) {
        for (String key : List.of("a", "b", "c", "d")) {
          state.add(limiter.peek(key).limits());
        }
      }
      return state;
    }

    boolean oneByOne(List<Check> checks) {
      return checks.stream()
          .allMatch(
              check ->
                  limiters
                      .get(Integer.parseInt(check.policy()))
                      .tryAcquire(check.key(), check.cost())
                      .allowed());
    }
  }

  private static List<Check> checks(SplittableRandom random) {
    List<Check> checks = new ArrayList<>();
    for (int i = random.nextInt(1, 6); i > 0; i--) {
      String policy = String.valueOf(random.nextInt(3));
      String key = String.valueOf((char) ('a' + random.nextInt(4)));
      checks.add(new Check(policy, key, random.nextLong(1, 4)));
    }
    return checks;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void checksTogetherAreAllOfThemOneByOneOrNone(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Subject together = new Subject();
    List<List<Check>> passed = new ArrayList<>();
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      together.clock.advanceMicros(random.nextLong(300_000));
      List<Check> checks = checks(random);
      List<List<LimitDecision>> before = together.state();
      List<Decision> decisions = together.sluice.tryAcquireTogether(checks);
      if (decisions.stream().allMatch(Decision::allowed)) {
        passed.add(checks);
        times.add(together.clock.nowMicros());
      } else {
        assertThat(together.state()).as("%s", checks).isEqualTo(before);
        assertThat(decisions).allMatch(decision -> decision.lease().isEmpty());
      }
    }
    assertThat(passed).isNotEmpty().hasSizeLessThan(60);
    Subject single = new Subject();
    for (int i = 0; i < passed.size(); i++) {
      single.clock.set(times.get(i));
      assertThat(single.oneByOne(passed.get(i))).isTrue();
    }
    single.clock.set(together.clock.nowMicros());
    assertThat(single.state()).isEqualTo(together.state());
  }
}
