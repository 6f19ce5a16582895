package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls that leave in turn and arrive late. Each counts from its end as soon as that is known; then
 * the other side, which counts arrivals, never sees more than the limit. That needs waits and
 * delays that are together shorter than the period; a second limit spreads the calls, so that few
 * wait long.
 */
class LateCallsProperties {
  private static final int PERMITS = 20;
  private static final int CALLERS = 6;
  private static final long SECOND = 1_000_000;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** A call from its turn to its end. */
  private record Call(Decision decision, long arrives, long ends) {}

  private final FakeClock clock = new FakeClock();
  private final RateLimiter limiter =
      Sluice.of(InMemoryStore.keepingAll(clock))
          .limiter(
              "provider",
              Limit.slidingLog(PERMITS, Duration.ofSeconds(1)),
              Limit.tokenBucket(PERMITS * 11 / 10, Duration.ofSeconds(1)).burst(1));
  private final PriorityQueue<Call> underWay =
      new PriorityQueue<>(Comparator.comparing(Call::ends));
  private final List<Long> arrivals = new ArrayList<>();

  /** Books a turn; on its way the call is mostly a little late, and now and then much. */
  private void book(SplittableRandom random) {
    Decision decision = limiter.reserve("k", 1, MINUTE, MINUTE).decision();
    long late = random.nextLong(random.nextInt(20) == 0 ? SECOND / 4 : SECOND / 500);
    long arrives = decision.passesAtMicros() + late;
    underWay.add(new Call(decision, arrives, arrives + random.nextLong(SECOND / 500)));
    arrivals.add(arrives);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void noSecondOfArrivalsIsAboveTheLimitAndLittleIsLost(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < CALLERS; i++) {
      book(random);
    }
    long started = clock.nowMicros();
    long until = started + 50 * SECOND;
    while (clock.nowMicros() < until) {
      Call ended = underWay.remove();
      clock.set(ended.ends());
      limiter.postpone(ended.decision());
      book(random);
    }
    arrivals.sort(Comparator.naturalOrder());
    for (int i = PERMITS; i < arrivals.size(); i++) {
      assertThat(arrivals.get(i) - arrivals.get(i - PERMITS)).isGreaterThanOrEqualTo(SECOND);
    }
    // A call costs the time for which it was late: here 7 ms of a second, on average.
    assertThat(arrivals).hasSizeGreaterThan(50 * PERMITS * 98 / 100);
  }
}
