package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TopKeysTest {
  private final AtomicLong nanos = new AtomicLong();
  private final TopKeys top = new TopKeys(nanos::get);
  private final RateLimiter limiter =
      Sluice.inMemory().listener(top).limiter("p", Limit.slidingLog(1, Duration.ofDays(1)));

  private void deny(String key, int times) {
    for (int i = 0; i <= times; i++) {
      limiter.tryAcquire(key);
    }
  }

  @Test
  void onlyDenialsCount() {
    limiter.tryAcquire("quiet");
    deny("loud", 3);
    assertThat(top.top(10)).containsExactly(new TopKeys.TopKey("p", "loud", 3, 0, "sliding-log"));
  }

  @Test
  void heavyKeysSurviveAFloodOfOthers() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      deny("flood-" + random.nextInt(1_000_000), 1);
      if (i % 50 == 0) {
        limiter.tryAcquire("heavy");
      }
    }
    List<TopKeys.TopKey> keys = top.top(1_000_000);
    assertThat(keys).hasSize(SpaceSaving.FOLLOWED);
    assertThat(keys.get(0).key()).isEqualTo("heavy");
    assertThat(keys.get(0).denied()).isGreaterThanOrEqualTo(399);
    assertThat(keys.get(0).denied() - keys.get(0).overcount()).isLessThanOrEqualTo(399);
  }

  @Test
  void oldDenialsAreForgotten() {
    deny("early", 2);
    nanos.addAndGet(Duration.ofMinutes(6).toNanos());
    deny("late", 1);
    assertThat(top.top(10)).extracting(TopKeys.TopKey::key).containsExactly("early", "late");
    nanos.addAndGet(Duration.ofMinutes(6).toNanos());
    assertThat(top.top(10)).extracting(TopKeys.TopKey::key).containsExactly("late");
    nanos.addAndGet(Duration.ofMinutes(60).toNanos());
    assertThat(top.top(10)).isEmpty();
  }

  @Test
  void longKeysAreCutShort() {
    deny("x".repeat(10_000), 1);
    assertThat(top.top(1).get(0).key()).hasSize(201).endsWith("…");
  }
}
