package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Defects that users of other limiters met, where no other test has their name already. See
 * StoreContract, the step tables and the laws for the rest.
 */
class PeerDefectsTest {
  private final FakeClock clock = new FakeClock();
  private final Sluice sluice = Sluice.of(new InMemoryStore(clock, 1_000));

  private int passed(RateLimiter limiter, int requests) {
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      passed += limiter.tryAcquire("k").allowed() ? 1 : 0;
    }
    return passed;
  }

  // Spring Cloud Gateway reads whole seconds.
  @Test
  void secondThatTicksDoesNotRefillTheBucket() {
    RateLimiter limiter = sluice.limiter("p", Limit.parse("100/s"));
    clock.advance(Duration.ofMillis(900));
    int passed = passed(limiter, 200);
    clock.advance(Duration.ofMillis(150));
    assertThat(passed + passed(limiter, 200)).isEqualTo(115);
  }

  // redis-cell#50: a time to live cut to zero.
  @Test
  void highRatesAreLimitedToo() {
    RateLimiter limiter = sluice.limiter("p", Limit.parse("1000000/s burst 100"));
    assertThat(passed(limiter, 1_000)).isEqualTo(100);
    clock.advanceMicros(1);
    assertThat(passed(limiter, 1_000)).isEqualTo(1);
  }

  // Spring Cloud Gateway admits 26 of 10.
  @Test
  void clockThatStepsBackDoesNotOpenTheLimitAgain() {
    for (Limit limit :
        List.of(
            Limit.tokenBucket(10, Duration.ofMinutes(1)),
            Limit.fixedWindow(10, Duration.ofMinutes(1)),
            Limit.counter(10, Duration.ofMinutes(1)),
            Limit.slidingLog(10, Duration.ofMinutes(1)),
            Limit.slidingWindow(10, Duration.ofMinutes(1)))) {
      RateLimiter limiter = sluice.limiter(limit.toString().replace('/', ' '), limit);
      int passed = passed(limiter, 20);
      for (int i = 0; i < 5; i++) {
        clock.advance(Duration.ofMinutes(-7));
        passed += passed(limiter, 20);
      }
      assertThat(passed).as("%s", limit).isEqualTo(10);
    }
  }

  // Naive max(now, last).
  @Test
  void clockThatSteppedBackAnHourDoesNotBlockForAnHour() {
    RateLimiter limiter = sluice.limiter("p", Limit.parse("10/s"));
    passed(limiter, 10);
    clock.advance(Duration.ofHours(-1));
    assertThat(limiter.tryAcquire("k").retryAfter()).isEqualTo(Duration.ofMillis(100));
    clock.advance(Duration.ofMillis(100));
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
  }

  // upstash, rolling-rate-limiter: weighted calls drive the counter to 19 of 10.
  @Test
  void deniedWeightedRequestsDriveNothingBelowZero() {
    RateLimiter limiter = sluice.limiter("p", Limit.fixedWindow(10, Duration.ofMinutes(1)));
    limiter.tryAcquire("k", 9);
    for (int i = 0; i < 10; i++) {
      assertThat(limiter.tryAcquire("k", 2).remaining()).isEqualTo(1);
    }
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
  }

  // redisson#3804: the admitted rate decays.
  @Test
  void rateDoesNotDecayWithTheHours() {
    RateLimiter limiter = sluice.limiter("p", Limit.parse("7/s"));
    List<Integer> hours = new ArrayList<>();
    limiter.force("k", 7);
    for (int hour = 0; hour < 5; hour++) {
      int passed = 0;
      for (int i = 0; i < 36_000; i++) {
        clock.advance(Duration.ofMillis(100));
        passed += limiter.tryAcquire("k").allowed() ? 1 : 0;
      }
      hours.add(passed);
    }
    assertThat(hours).containsOnly(25_200);
  }
}
