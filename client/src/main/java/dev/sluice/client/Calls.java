package dev.sluice.client;

import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.time.Duration;

/**
 * Whose limit calls are kept within, and how long one may wait for its turn. Immutable.
 *
 * @param policy the limits of the provider
 * @param key which of its customers we are; often just the provider's name
 * @param cost permits of one call
 * @param maxWait the longest wait; who would wait longer is refused at once
 */
public record Calls(Sluice sluice, String policy, String key, long cost, Duration maxWait) {
  private static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(30);

  /** Refuses a policy that {@code sluice} does not have, and waits that make no sense. */
  public Calls {
    if (sluice.limiter(policy).isEmpty()) {
      throw new IllegalArgumentException("calls: unknown policy '%s'".formatted(policy));
    }
    if (maxWait.isNegative()) {
      throw new IllegalArgumentException(
          "calls of policy '%s': maxWait must not be negative, got %s".formatted(policy, maxWait));
    }
  }

  /** Calls of one permit each that may wait for up to 30 seconds. */
  public static Calls of(Sluice sluice, String policy, String key) {
    return new Calls(sluice, policy, key, 1, DEFAULT_MAX_WAIT);
  }

  /** The same with another cost for each call. */
  public Calls cost(long permits) {
    return new Calls(sluice, policy, key, permits, maxWait);
  }

  /** The same with another longest wait. */
  public Calls maxWait(Duration longest) {
    return new Calls(sluice, policy, key, cost, longest);
  }

  RateLimiter limiter() {
    return sluice
        .limiter(policy)
        .orElseThrow(
            () -> new IllegalStateException("calls: policy '%s' is gone".formatted(policy)));
  }
}
