package dev.sluice;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * What one limit said. Times are whole microseconds; {@code retryAfterMicros} is {@link
 * Decision#NEVER} where the cost can never pass.
 */
public record LimitDecision(
    Limit limit, boolean allowed, long remaining, long retryAfterMicros, long resetAfterMicros) {
  /** How long until the same request would pass: zero when allowed, forever where it never can. */
  public Duration retryAfter() {
    return retryAfterMicros == Decision.NEVER
        ? ChronoUnit.FOREVER.getDuration()
        : Duration.of(retryAfterMicros, ChronoUnit.MICROS);
  }

  /** How long until this limit knows nothing of the key any more. */
  public Duration resetAfter() {
    return Duration.of(resetAfterMicros, ChronoUnit.MICROS);
  }

  /** The limit whose figures are a decision's: the smallest share left, or the longest wait. */
  static LimitDecision binding(LimitDecision[] limits, boolean allowed) {
    LimitDecision binding = limits[0];
    for (LimitDecision candidate : limits) {
      if (allowed ? candidate.hasLessThan(binding) : candidate.waitsLongerThan(binding)) {
        binding = candidate;
      }
    }
    return binding;
  }

  private boolean hasLessThan(LimitDecision other) {
    // Both products stay below 2^80: compared as doubles they differ only where it does not matter.
    return (double) remaining * other.limit.capacity()
        < (double) other.remaining * limit.capacity();
  }

  private boolean waitsLongerThan(LimitDecision other) {
    return !allowed && (other.allowed || retryAfterMicros > other.retryAfterMicros);
  }

  /** The same some time later; the retry time is at least {@code leastRetryMicros}. */
  LimitDecision later(long elapsedMicros, long leastRetryMicros) {
    long retry = Math.max(retryAfterMicros - elapsedMicros, leastRetryMicros);
    long reset = Math.max(0, resetAfterMicros - elapsedMicros);
    return new LimitDecision(limit, retry == 0, remaining, retry, reset);
  }
}
