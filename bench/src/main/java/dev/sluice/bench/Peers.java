package dev.sluice.bench;

import com.google.common.util.concurrent.RateLimiter;
import dev.sluice.Limit;
import dev.sluice.Sluice;
import dev.sluice.Store;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** The same limit, a million a second with a burst of a million, in each library. */
final class Peers {
  static final long RATE = 1_000_000;

  private Peers() {}

  static dev.sluice.RateLimiter sluice(Store store) {
    return Sluice.of(store).limiter("bench", Limit.tokenBucket(RATE, Duration.ofSeconds(1)));
  }

  static String[] names(int count) {
    String[] names = new String[count];
    for (int i = 0; i < count; i++) {
      names[i] = "user:" + i;
    }
    return names;
  }

  static Bucket bucket4j(SynchronizationStrategy strategy) {
    return Bucket.builder()
        .addLimit(
            Bandwidth.builder().capacity(RATE).refillGreedy(RATE, Duration.ofSeconds(1)).build())
        .withNanosecondPrecision()
        .withSynchronizationStrategy(strategy)
        .build();
  }

  @SuppressWarnings("UnstableApiUsage")
  static RateLimiter guava() {
    return RateLimiter.create(RATE);
  }

  static io.github.resilience4j.ratelimiter.RateLimiter resilience4j() {
    return io.github.resilience4j.ratelimiter.RateLimiter.of(
        "bench",
        RateLimiterConfig.custom()
            .limitForPeriod((int) RATE)
            .limitRefreshPeriod(Duration.ofSeconds(1))
            .timeoutDuration(Duration.ZERO)
            .build());
  }

  /** The least that a token bucket can be: one number and a compare-and-set. */
  static boolean bareGcra(AtomicLong tat) {
    long interval = 1_000_000_000 / RATE;
    while (true) {
      long now = System.nanoTime();
      long old = tat.get();
      long next = Math.max(old, now) + interval;
      if (next - RATE * interval > now) {
        return false;
      }
      if (tat.compareAndSet(old, next)) {
        return true;
      }
    }
  }

  /** The least that many of them can be: the key's hash says which number is its own. */
  static boolean bareGcra(AtomicLongArray tats, String key) {
    int slot = key.hashCode() & (tats.length() - 1);
    long interval = 1_000_000_000 / RATE;
    while (true) {
      long now = System.nanoTime();
      long old = tats.get(slot);
      long next = Math.max(old, now) + interval;
      if (next - RATE * interval > now) {
        return false;
      }
      if (tats.compareAndSet(slot, old, next)) {
        return true;
      }
    }
  }
}
