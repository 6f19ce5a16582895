package dev.sluice.http;

import dev.sluice.Decision;
import java.util.List;

/** Several decisions that were taken together, seen as one. */
final class Verdict {
  private Verdict() {}

  /**
   * The decision whose figures a client needs: if any is denied, the denied one with the longest
   * wait; otherwise the one with the smallest share left.
   */
  static Decision binding(List<Decision> decisions) {
    Decision binding = decisions.get(0);
    for (Decision candidate : decisions) {
      if (outranks(candidate, binding)) {
        binding = candidate;
      }
    }
    return binding;
  }

  private static boolean outranks(Decision candidate, Decision best) {
    if (candidate.allowed() != best.allowed()) {
      return !candidate.allowed();
    }
    return candidate.allowed()
        ? share(candidate) < share(best)
        : candidate.retryAfterMicros() > best.retryAfterMicros();
  }

  private static double share(Decision decision) {
    return decision
        .binding()
        .map(limit -> (double) decision.remaining() / limit.capacity())
        .orElse(Double.POSITIVE_INFINITY);
  }
}
