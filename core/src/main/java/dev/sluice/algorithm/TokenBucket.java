package dev.sluice.algorithm;

import dev.sluice.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Tokens come back at N per P up to B. Twin of token_bucket.lua; the same arithmetic as GCRA.
 *
 * <p>The state is {@code t}, the instant from which refills are counted, and {@code u}, the tokens
 * used since. Refills are whole cycles of the rate in lowest terms (n tokens in p microseconds), so
 * {@link #settle} moves {@code t} on by p and {@code u} down by n without rounding: the long-run
 * rate is exact, from one token a month to a million a second. Inside a cycle ⌊e·n/p⌋ have come
 * back after e microseconds. A bucket that is full counts from now.
 *
 * <p>{@code u} above B is a debt: somebody booked a place in the future, or borrowed.
 */
public final class TokenBucket implements Arithmetic<Cell> {
  /** Stateless. */
  public static final TokenBucket INSTANCE = new TokenBucket();

  // Beyond this numbers are not exact in Lua.
  private static final long MOST = 1L << 52;

  private TokenBucket() {}

  @Override
  public Cell fresh(Limit limit, long now) {
    return new Cell(now, limit.capacity() - limit.initial());
  }

  @Override
  public Cell settle(Cell s, Limit limit, long now) {
    long t = s.t();
    long u = s.u();
    if (t > now) {
      if (t - now > limit.perMicros()) {
        t = now;
      }
    } else {
      long cycle = limit.cycleMicros();
      long elapsed = now - t;
      boolean full = false;
      if (elapsed >= cycle) {
        long cycles = elapsed / cycle;
        // Compared by division: the product overflows after a long idle time.
        full = cycles > u / limit.cyclePermits();
        t += cycles * cycle;
        u -= full ? 0 : cycles * limit.cyclePermits();
      }
      if (full || u <= limit.permitsWithin(now - t)) {
        boolean startsFull = limit.initial() == limit.capacity();
        boolean forgotten = forgotten(s, limit, now);
        t = startsFull || forgotten ? now : s.t() + limit.microsFor(s.u());
        u = forgotten ? limit.capacity() - limit.initial() : 0;
      }
    }
    return new Cell(t, u);
  }

  @Override
  public boolean stranded(Cell s, Limit limit, long now) {
    return s.t() - now > limit.perMicros() || forgotten(s, limit, now);
  }

  /** A bucket that starts with less than full is forgotten a period after it was full. */
  private static boolean forgotten(Cell s, Limit limit, long now) {
    return limit.initial() < limit.capacity()
        && now - s.t() - limit.microsFor(s.u()) >= limit.perMicros();
  }

  @Override
  public long earliest(Cell s, Limit limit, long cost, long now) {
    long owed = s.u() + (limit.borrows() ? 0 : cost) - limit.capacity();
    return owed <= returned(s, limit, now) ? now : s.t() + limit.microsFor(owed);
  }

  @Override
  public Cell charge(Cell s, Limit limit, long cost, long now, long at, @Nullable String id) {
    long from = s.u() == 0 ? now : s.t();
    return at > now && from + limit.microsFor(s.u()) <= at
        ? fullAt(at, limit, cost, now)
        : new Cell(from, s.u() + cost);
  }

  /** A bucket that is full at an instant ahead, where {@code cost} is taken. */
  static Cell fullAt(long at, Limit limit, long cost, long now) {
    // Refills count from the present or before: so many whole cycles before, and their tokens used.
    long cycles =
        Math.min(-Math.floorDiv(now - at, limit.cycleMicros()), MOST / limit.cyclePermits());
    return new Cell(at - cycles * limit.cycleMicros(), cycles * limit.cyclePermits() + cost);
  }

  @Override
  public Cell refund(Cell s, Limit limit, long cost, long now, long at, long by) {
    long least = returned(s, limit, now);
    long last = s.t() + limit.microsFor(Math.max(0, s.u() - limit.capacity()));
    if (at > now && at != last && at + limit.microsFor(cost) != s.t() + limit.microsFor(s.u())) {
      // Others wait behind this place, and their passes are fixed: it is lost. Were it given to
      // somebody else, more would pass in their time than the burst and the rate allow.
      return s;
    }
    if (last > Math.max(now, at) && !limit.borrows()) {
      // Right after the last of those who wait, taken to cost as much, the bucket must not be
      // fuller
      // than full less that: it gets back what the burst can absorb.
      least = Math.max(least, returnedUp(limit, last - s.t()) + cost);
    }
    // A bucket that is full by this counts from now, or the fraction of a token beyond were kept.
    return settle(new Cell(s.t(), Math.min(s.u(), Math.max(s.u() - cost, least))), limit, now);
  }

  @Override
  public long comesBackBy(Cell s, Limit limit) {
    return s.t() + limit.microsFor(s.u());
  }

  @Override
  public long available(Cell s, Limit limit, long cost, long now) {
    return limit.borrows() && earliest(s, limit, cost, now) == now
        ? Math.min(cost, limit.largestCost())
        : Math.min(cost, remaining(s, limit, now));
  }

  @Override
  public long remaining(Cell s, Limit limit, long now) {
    long used = Math.max(0, s.u() - returned(s, limit, now));
    return Math.max(0, limit.capacity() - used);
  }

  @Override
  public long resetAt(Cell s, Limit limit, long now) {
    long fullAt = s.t() + limit.microsFor(s.u());
    return limit.initial() == limit.capacity() ? fullAt : fullAt + limit.perMicros();
  }

  /** Tokens that came back since {@code t}: less than a cycle, for the state is settled. */
  static long returned(Cell s, Limit limit, long now) {
    return now > s.t() && s.u() > 0 ? limit.permitsWithin(now - s.t()) : 0;
  }

  @Override
  public long comingBack(Limit limit, long elapsed) {
    return limit.refill() == Limit.Refill.SMOOTH
        ? returnedUp(limit, elapsed)
        : -Math.floorDiv(-elapsed, limit.cycleMicros()) * limit.cyclePermits();
  }

  /** Tokens that come back in any time, a fraction rounded up. */
  private static long returnedUp(Limit limit, long elapsed) {
    long cycle = limit.cycleMicros();
    long rest = limit.refill() == Limit.Refill.SMOOTH ? elapsed % cycle * limit.cyclePermits() : 0;
    return elapsed / cycle * limit.cyclePermits() + (rest + cycle - 1) / cycle;
  }
}
