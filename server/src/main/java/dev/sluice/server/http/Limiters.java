package dev.sluice.server.http;

import dev.sluice.RateLimiter;
import dev.sluice.Sluice;

/** Looks policies up for callers who named them. */
final class Limiters {
  private Limiters() {}

  static RateLimiter named(Sluice sluice, String policy) {
    return sluice.limiter(policy).orElseThrow(() -> ProblemException.unknownPolicy(policy));
  }
}
