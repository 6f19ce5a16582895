package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SmokeTest {
  @Test
  void everyAlgorithmAdmitsItsCapacityAndThenDenies() {
    FakeClock clock = new FakeClock();
    Sluice sluice = Sluice.of(new InMemoryStore(clock, 1000));
    Duration second = Duration.ofSeconds(1);
    Limit[] limits = {
      Limit.tokenBucket(10, second),
      Limit.tokenBucket(7, second).refill(Limit.Refill.INTERVAL),
      Limit.fixedWindow(10, second),
      Limit.counter(10, second),
      Limit.slidingLog(10, second),
      Limit.slidingWindow(10, second).precision(Duration.ofMillis(100)),
      Limit.leakyBucket(10, second).queue(4),
      Limit.concurrency(3)
    };
    for (int i = 0; i < limits.length; i++) {
      RateLimiter limiter = sluice.limiter("p" + i, limits[i]);
      long capacity = limits[i].capacity();
      for (long n = 1; n <= capacity; n++) {
        Decision decision = limiter.tryAcquire("k");
        assertThat(decision.allowed()).as("%s", decision).isTrue();
        assertThat(decision.remaining()).as("%s", decision).isEqualTo(capacity - n);
      }
      Decision denied = limiter.tryAcquire("k");
      assertThat(denied.allowed()).as("%s", denied).isFalse();
      clock.advanceMicros(denied.retryAfterMicros() - 1);
      assertThat(limiter.tryAcquire("k").allowed()).as("%s", denied).isFalse();
      clock.advanceMicros(1);
      assertThat(limiter.tryAcquire("k").allowed()).as("%s", denied).isTrue();
    }
  }
}
