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
}
