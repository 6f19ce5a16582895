package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.MicroClock;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class QuickBucketTest {
  private static final Limit TWO_A_DAY = Limit.tokenBucket(2, Duration.ofDays(1));

  /** A clock that goes on whenever somebody looks. */
  private static final class Busy implements MicroClock {
    private long now = 1_767_225_600_000_000L;

    @Override
    public long nowMicros() {
      now += 10;
      return now;
    }

    @Override
    public boolean isSteady() {
      return true;
    }
  }

  private final Busy clock = new Busy();
  private final RateLimiter limiter =
      Sluice.of(new InMemoryStore(clock, 100)).limiter("p", TWO_A_DAY);

  @Test
  @SuppressWarnings("StringConstructor") // another string with the same text
  void keyInAnotherStringIsTheSameKey() {
    assertThat(limiter.tryAcquire("k").remaining()).isEqualTo(1);
    assertThat(limiter.tryAcquire(new String("k")).remaining()).isEqualTo(0);
    assertThat(limiter.tryAcquire(new String("k")).allowed()).isFalse();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void newKeyIsDecidedAsOfTheTimeWhenItWasKnown() {
    Decision decision = limiter.tryAcquire("k");

    assertThat(decision.passesAtMicros()).isEqualTo(clock.now);
    assertThat(decision.resetAfterMicros()).isEqualTo(Duration.ofHours(12).toMillis() * 1_000);
  }

  @Test
  @SuppressWarnings("StringConstructor")
  void knownKeyIsDecidedWithOneLookAtTheClock() {
    limiter.tryAcquire("k");
    long before = clock.now;

    assertThat(limiter.tryAcquire("k").passesAtMicros()).isEqualTo(before + 10);
    assertThat(limiter.tryAcquire(new String("k")).passesAtMicros()).isEqualTo(before + 20);
    assertThat(clock.now).isEqualTo(before + 20);
  }

  @Test
  void reservationThatHasJustExpiredIsGivenBackToWhoeverAsksNext() {
    FakeClock steady = FakeClock.steady();
    RateLimiter two = Sluice.of(new InMemoryStore(steady, 100)).limiter("p", TWO_A_DAY);
    two.reserve("k", 2, Duration.ZERO, Duration.ofMillis(10));

    assertThat(two.tryAcquire("k").allowed()).isFalse();
    steady.advance(Duration.ofMillis(10));
    assertThat(two.tryAcquire("k").remaining()).isEqualTo(1);
  }
}
