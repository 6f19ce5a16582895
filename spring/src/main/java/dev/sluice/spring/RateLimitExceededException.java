package dev.sluice.spring;

import dev.sluice.Decision;

/**
 * A call was denied by {@link RateLimited}. Where nobody else handles it, web applications answer
 * 429 with a problem document and the rate limit headers.
 */
public class RateLimitExceededException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Decision decision;

  /** A denial. */
  public RateLimitExceededException(Decision decision) {
    // The text may reach clients through somebody's error page, so it does not tell the key.
    super("policy '%s': denied%s".formatted(decision.policy(), when(decision)));
    this.decision = decision;
  }

  private static String when(Decision decision) {
    return decision.neverPasses()
        ? ", and never passes"
        : ", retry in %d ms".formatted(-Math.floorDiv(-decision.retryAfterMicros(), 1_000));
  }

  /** The answer of the limiter. */
  public Decision decision() {
    return decision;
  }
}
