package dev.sluice.redis;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Keeps callers from waiting for a server that does not answer.
 *
 * <p>Closed, everything passes; {@link #THRESHOLD} failures in a row open it. Open, nothing passes,
 * which is known after one read of memory. When its pause is over the next caller passes as a
 * probe, alone: success closes it, failure opens it again for a longer pause. Pauses double from
 * {@link #FIRST_PAUSE_NANOS} to {@link #LONGEST_PAUSE_NANOS}, each cut by up to half at random, so
 * that the nodes of a fleet do not probe in step. Safe for use by many threads.
 */
final class Breaker {
  /** Failures in a row that open it. */
  static final int THRESHOLD = 5;

  static final long FIRST_PAUSE_NANOS = 50_000_000L;
  // With the longest pause of a Link before it, recovery is seen well within two seconds.
  static final long LONGEST_PAUSE_NANOS = 500_000_000L;

  /** What a caller may do. */
  enum Entry {
    /** Ask the store. */
    PASS,
    /** Ask the store, alone: the outcome decides for all. */
    PROBE,
    /** Do not ask. */
    REFUSED
  }

  /** Immutable, replaced as a whole. A probe in flight leaves {@code until} at its own start. */
  private record Now(BreakerState state, int failures, int pauses, long until) {}

  private static final Now WELL = new Now(BreakerState.CLOSED, 0, 0, 0);

  private final LongSupplier nanoTime;
  private final AtomicReference<Now> now = new AtomicReference<>(WELL);

  Breaker() {
    this(System::nanoTime);
  }

  Breaker(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  BreakerState state() {
    return now.get().state;
  }

  /** Every entry but {@link Entry#REFUSED} must be followed by one of the two outcomes. */
  Entry enter() {
    Now seen = now.get();
    if (seen.state == BreakerState.CLOSED) {
      return Entry.PASS;
    }
    if (seen.state == BreakerState.HALF_OPEN || nanoTime.getAsLong() - seen.until < 0) {
      return Entry.REFUSED;
    }
    Now probing = new Now(BreakerState.HALF_OPEN, seen.failures, seen.pauses, seen.until);
    return now.compareAndSet(seen, probing) ? Entry.PROBE : Entry.REFUSED;
  }

  /** The server answered. A late answer does not close an open breaker: only a probe does. */
  void succeeded(Entry entry) {
    Now seen = now.get();
    if (!seen.equals(WELL) && (entry == Entry.PROBE || seen.state == BreakerState.CLOSED)) {
      // Unless it was opened since it was looked at.
      boolean unused = now.compareAndSet(seen, WELL);
    }
  }

  /** The server did not answer, or said that it cannot decide. */
  void failed(Entry entry) {
    if (entry == Entry.PROBE) {
      Now seen = now.get();
      now.set(opened(seen.failures, seen.pauses + 1));
      return;
    }
    now.updateAndGet(
        seen -> {
          if (seen.state != BreakerState.CLOSED) {
            return seen;
          }
          int failures = seen.failures + 1;
          return failures < THRESHOLD
              ? new Now(BreakerState.CLOSED, failures, 0, 0)
              : opened(failures, 0);
        });
  }

  private Now opened(int failures, int pauses) {
    long pause = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(pauses, 10));
    long jittered = pause - ThreadLocalRandom.current().nextLong(pause / 2);
    return new Now(BreakerState.OPEN, failures, pauses, nanoTime.getAsLong() + jittered);
  }
}
