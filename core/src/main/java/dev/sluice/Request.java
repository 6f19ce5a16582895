package dev.sluice;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link RateLimiter} asks of a {@link Store}. Everything has been checked before: the key
 * is not empty, the cost is from 1 to what can pass (from 0 for {@link Mode#COMMIT}).
 *
 * @param maxWaitMicros for {@link Mode#BOOK} and {@link Mode#RESERVE} the longest wait; else 0
 * @param id names a lease or a reservation; null where there is none
 * @param timeMicros for {@link Mode#RESERVE} how long the reservation lives; for {@link
 *     Mode#GIVE_BACK} and {@link Mode#POSTPONE} the instant that the charge was for; 0 for a plain
 *     refund
 */
public record Request(
    Plan plan,
    String key,
    long cost,
    Mode mode,
    long maxWaitMicros,
    @Nullable String id,
    long timeMicros) {
  /** What is to be done. */
  public enum Mode {
    /** Charge if every limit has room now; else charge nothing. */
    ACQUIRE,
    /** Charge if the request can pass within the longest wait: it books its place until then. */
    BOOK,
    /** Answer as {@link #ACQUIRE} would, and charge nothing. */
    PEEK,
    /** Always pass; charge what there is. */
    FORCE,
    /** Give permits back, never more than were used. */
    GIVE_BACK,
    /** Count from now what was charged for an earlier instant, where that makes a difference. */
    POSTPONE,
    /** Forget the key. */
    RESET,
    /** Release the concurrency permit {@code id}. Allowed means that it was still held. */
    RELEASE,
    /** As {@link #BOOK}, and remember the charge under {@code id} until it is settled. */
    RESERVE,
    /**
     * Settle the reservation {@code id} with its actual cost, 0 to cancel it. Allowed means that it
     * is settled with that cost, now or before; see {@link Settled}.
     */
    COMMIT;

    /** Whether it asks if somebody may pass: others look, or put something right. */
    boolean decides() {
      return switch (this) {
        case ACQUIRE, BOOK, FORCE, RESERVE -> true;
        case PEEK, GIVE_BACK, POSTPONE, RESET, RELEASE, COMMIT -> false;
      };
    }
  }

  /** A request for {@code cost} permits now; a limit that delays by itself may delay it. */
  public static Request acquire(Plan plan, String key, long cost) {
    return new Request(plan, key, cost, Mode.ACQUIRE, 0, null, 0);
  }

  /** The same, asked of another plan. */
  public Request under(Plan other) {
    return new Request(other, key, cost, mode, maxWaitMicros, id, timeMicros);
  }

  /** Whether an allowed answer means that permits were taken. */
  public boolean takes() {
    return mode.decides();
  }
}
