package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.math.BigInteger;
import java.util.ArrayDeque;

/** Slots in a queue, each with the exact fraction of a microsecond at which it ends. */
final class LeakyBucketOracle implements Oracle {
  private final Limit limit;
  private final BigInteger permits;
  private final BigInteger per;
  // When each slot ends, times N.
  private final ArrayDeque<BigInteger> ends = new ArrayDeque<>();

  LeakyBucketOracle(Limit limit) {
    this.limit = limit;
    this.permits = BigInteger.valueOf(limit.permits());
    this.per = BigInteger.valueOf(limit.perMicros());
  }

  @Override
  public Answer ask(long now, long cost) {
    BigInteger present = BigInteger.valueOf(now).multiply(permits);
    while (!ends.isEmpty() && ends.peek().compareTo(present) <= 0) {
      ends.remove();
    }
    boolean allowed = ends.size() + cost <= limit.capacity();
    long retry = 0;
    if (!allowed) {
      long mustEnd = ends.size() + cost - limit.capacity();
      retry = up(ends.stream().skip(mustEnd - 1).findFirst().orElseThrow()) - now;
    }
    long wait = 0;
    if (allowed) {
      BigInteger starts = ends.isEmpty() ? present : ends.peekLast();
      wait = up(starts) - now;
      for (long i = 0; i < cost; i++) {
        starts = starts.add(per);
        ends.add(starts);
      }
    }
    long reset = ends.isEmpty() ? 0 : up(ends.peekLast()) - now;
    return new Answer(allowed, limit.capacity() - ends.size(), retry, reset, wait);
  }

  private long up(BigInteger scaled) {
    return scaled.add(permits).subtract(BigInteger.ONE).divide(permits).longValueExact();
  }
}
