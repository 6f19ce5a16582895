package dev.sluice.redis;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** What callers see of a store that fails now and then. */
final class Outcomes {
  /** Long against what a store needs to come back, whatever else the machine does. */
  static final Duration BACK = Duration.ofSeconds(10);

  /** More than any test takes. */
  static final Limit HUGE = Limit.slidingLog(100_000, Duration.ofHours(1));

  private Outcomes() {}

  /** A limiter whose callers are told of a failure. */
  static RateLimiter denying(Sluice sluice, Limit limit) {
    return denying(sluice, "test", limit);
  }

  static RateLimiter denying(Sluice sluice, String name, Limit limit) {
    return sluice.limiter(
        Policy.named(name).limits(List.of(limit)).onStoreFailure(OnStoreFailure.DENY).build());
  }

  /** {@code allowed}, {@code denied}, or why there was no decision. */
  static String of(RateLimiter limiter, String key) {
    try {
      return limiter.tryAcquire(key).allowed() ? "allowed" : "denied";
    } catch (StoreUnavailableException failure) {
      return failure.reason();
    }
  }

  /** Whether the store decided. */
  static boolean decided(RateLimiter limiter, String key) {
    String outcome = of(limiter, key);
    return outcome.equals("allowed") || outcome.equals("denied");
  }

  /** Decides until the server has answered in time: the first call loads classes and scripts. */
  static void awaitDecided(RateLimiter limiter) {
    Await.until(BACK, () -> decided(limiter, "warm-up"), "the server decides");
  }

  /** The permits of {@link #HUGE} that the server knows to be used. */
  static long used(RateLimiter limiter, String key) {
    AtomicLong used = new AtomicLong();
    Await.until(
        BACK,
        () -> {
          try {
            used.set(limiter.policy().limits().get(0).permits() - limiter.peek(key).remaining());
            return true;
          } catch (StoreUnavailableException notYet) {
            return false;
          }
        },
        "the server answers");
    return used.get();
  }
}
