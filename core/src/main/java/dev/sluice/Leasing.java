package dev.sluice;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How slices of a leased plan are taken: by an ordinary decision of its limits and of one more, a
 * concurrency limit that holds the slices of all processes together to a bound.
 *
 * @param most permits of a key that all processes together may have in hand at any instant
 * @param exact the plan without slices, for what is decided one by one
 * @param take the limits and the hold: what a slice is charged to
 * @param hold the hold alone: what a slice is released from
 */
public record Leasing(long most, Plan exact, Plan take, Plan hold) {
  /** How long a slice is held at most; the share of a killed process is free again after it. */
  public static final Duration LEASE = Duration.ofSeconds(1);

  // No name that anybody would give; a leased policy has no other concurrency limit anyway.
  private static final String HOLD = "~leased";

  static Leasing of(
      String policy,
      String subject,
      List<Limit> limits,
      @Nullable Duration deadline,
      @Nullable Long asked) {
    for (Limit limit : limits) {
      check(subject, limit);
    }
    long smallest =
        limits.stream().mapToLong(l -> Math.min(l.permits(), l.capacity())).min().orElseThrow();
    if (asked != null && asked > smallest) {
      throw new IllegalArgumentException(
          "%s: max-leased must be from 1 to the smallest limit of %d, got %d"
              .formatted(subject, smallest, asked));
    }
    long most = asked == null ? Math.max(1, smallest / 100) : asked;
    Limit hold = Limit.concurrency(most).lease(LEASE).name(HOLD);
    List<Limit> both = new ArrayList<>(limits);
    both.add(hold);
    return new Leasing(
        most,
        new Plan(policy, limits, deadline),
        new Plan(policy, List.copyOf(both), deadline),
        new Plan(policy, List.of(hold), deadline));
  }

  private static void check(String subject, Limit limit) {
    String why =
        switch (limit.algorithm()) {
          case TOKEN_BUCKET -> limit.borrows() ? "what is borrowed has no bound" : null;
          case FIXED_WINDOW, SLIDING_LOG, SLIDING_WINDOW -> null;
          case LEAKY_BUCKET -> "its passes are spaced, not counted";
          case CONCURRENCY -> "held permits are not used up";
        };
    if (why != null) {
      throw new IllegalArgumentException(
          "%s, limit '%s': %s cannot be leased, for %s; use tier exact"
              .formatted(
                  subject,
                  limit.name(),
                  limit.borrows() ? limit.algorithm() + " with borrow" : limit.algorithm(),
                  why));
    }
  }
}
