package dev.sluice;

/**
 * Permits taken for a request whose cost is known only afterwards. Settle it with {@link
 * RateLimiter#commit} or {@link RateLimiter#cancel}; both are safe to repeat, and the first of them
 * counts. Left alone, it is given back when it expires.
 *
 * <p>A reservation may have nothing to settle: the key is unlimited, the policy a shadow that would
 * have denied it, or the store out of reach where the policy allows. Settled it is like any other,
 * at once and at any cost. To settle one that was denied changes nothing, and says so.
 *
 * @param id names the reservation, on any node that shares the store; empty where it was denied
 * @param decision what was decided; denied means that nothing was taken
 */
public record Reservation(String id, Decision decision) {
  /** The id where there is nothing to settle. */
  static final String NOTHING = "none";

  /** Whether the permits were taken. */
  public boolean allowed() {
    return decision.allowed();
  }
}
