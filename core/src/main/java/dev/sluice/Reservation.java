package dev.sluice;

/**
 * Permits taken for a request whose cost is known only afterwards. Settle it with {@link
 * RateLimiter#commit} or {@link RateLimiter#cancel}; both are safe to repeat, and the first of them
 * counts. Left alone, it is given back when it expires.
 *
 * @param id names the reservation, on any node that shares the store
 * @param decision what was decided; denied means that nothing was taken
 */
public record Reservation(String id, Decision decision) {
  /** Whether the permits were taken. */
  public boolean allowed() {
    return decision.allowed();
  }
}
