package dev.sluice.http;

import dev.sluice.Decision;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What {@link RequestLimiter} says of a request: it passes, or this is the problem. Immutable. */
public final class Verdict {
  private static final Verdict UNCHECKED = new Verdict(List.of(), null);

  private final List<Decision> decisions;
  private final @Nullable Problem problem;

  private Verdict(List<Decision> decisions, @Nullable Problem problem) {
    this.decisions = decisions;
    this.problem = problem;
  }

  /** No limit applies. */
  static Verdict unchecked() {
    return UNCHECKED;
  }

  /** The limits have spoken. */
  static Verdict of(List<Decision> decisions) {
    boolean allowed = decisions.stream().allMatch(Decision::allowed);
    return new Verdict(List.copyOf(decisions), allowed ? null : Problem.deniedToClient(decisions));
  }

  /** The limits were not asked, or could not answer. */
  static Verdict refused(Problem problem) {
    return new Verdict(List.of(), problem);
  }

  /** Whether the request passes, after {@link #waitTime}. */
  public boolean passes() {
    return problem == null;
  }

  /** What to answer instead, where the request does not pass. */
  public Optional<Problem> problem() {
    return Optional.ofNullable(problem);
  }

  /** How long a request that passes must wait for its turn. */
  public Duration waitTime() {
    return decisions.stream()
        .map(Decision::waitTime)
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /** What each check said, in the rule's order; empty where none was made. */
  public List<Decision> decisions() {
    return decisions;
  }

  /** The decision whose figures stand in the headers. */
  public Optional<Decision> binding() {
    return decisions.isEmpty() ? Optional.empty() : Optional.of(binding(decisions));
  }

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

  @Override
  public String toString() {
    return problem == null ? "passes " + decisions : problem.toString();
  }
}
