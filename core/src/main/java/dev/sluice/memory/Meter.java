package dev.sluice.memory;

import dev.sluice.Algorithm;
import dev.sluice.Limit;
import dev.sluice.algorithm.Cell;
import java.math.BigInteger;

/**
 * Keeps a bucket in one number: the instant at which it is full, in units of 1/n microseconds since
 * {@code base}, where n tokens come back in p microseconds. A token is p of these units, so nothing
 * is ever rounded; GCRA calls it the theoretical arrival time.
 *
 * <p>It says as much as the {@link Cell} that {@link dev.sluice.algorithm.TokenBucket} works on,
 * brought to the present: n and p have no common divisor, so only one instant within the last p
 * microseconds is a whole number of tokens away. What it does not say is when the bucket was last
 * looked at, which matters where the clock steps back.
 *
 * @param n tokens that come back in a cycle
 * @param p microseconds of a cycle
 * @param base an instant before any that is asked about
 */
record Meter(long n, long p, long base) {
  // Two centuries of microseconds times n and a full bucket stay below 2^63.
  private static final long MOST_PERMITS = 1 << 10;
  private static final long LONGEST_CYCLE = 1L << 46;
  private static final long LARGEST_BUCKET = 1L << 60;
  // Some 142 years, as in Rate: no bucket takes longer to fill under its own limit.
  private static final long FOREVER = 1L << 52;

  /** Whether a limit's buckets can be kept so: they refill smoothly, start full, lend nothing. */
  static boolean fits(Limit limit) {
    return limit.algorithm() == Algorithm.TOKEN_BUCKET
        && limit.refill() == Limit.Refill.SMOOTH
        && limit.initial() == limit.capacity()
        && !limit.borrows()
        && limit.cyclePermits() <= MOST_PERMITS
        && limit.cycleMicros() <= LONGEST_CYCLE
        && limit.capacity() <= LARGEST_BUCKET / limit.cycleMicros();
  }

  static Meter of(Limit limit, long base) {
    return new Meter(limit.cyclePermits(), limit.cycleMicros(), base);
  }

  long units(long micros) {
    return (micros - base) * n;
  }

  /** When a bucket is full, as far as that can be told. Never 0, which is no bucket. */
  long fullAt(Cell cell) {
    return Math.max(1, units(cell.t()) + (tells(cell) ? cell.u() * p : FOREVER * n));
  }

  /** Whether that can be told: what was used under another limit may take longer to come back. */
  boolean tells(Cell cell) {
    return cell.u() <= FOREVER * n / p;
  }

  Cell cell(long fullAt, long now) {
    long debt = fullAt - units(now);
    if (debt <= 0) {
      return new Cell(now, 0);
    }
    long since = times(p - debt % p, inverse());
    return new Cell(now - since, (debt + since * n) / p);
  }

  /** What n times it leaves 1 of when divided by p. */
  private long inverse() {
    return n == 1 ? 1 % p : BigInteger.valueOf(n).modInverse(BigInteger.valueOf(p)).longValue();
  }

  private long times(long a, long b) {
    return p <= Integer.MAX_VALUE
        ? a % p * b % p
        : BigInteger.valueOf(a)
            .multiply(BigInteger.valueOf(b))
            .mod(BigInteger.valueOf(p))
            .longValue();
  }
}
