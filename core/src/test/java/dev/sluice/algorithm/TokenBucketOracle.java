package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.math.BigInteger;

/**
 * The theoretical arrival time of GCRA as an exact fraction: {@code tat / N} microseconds is when
 * the bucket will be full again. No tokens are counted.
 */
final class TokenBucketOracle implements Oracle {
  private final BigInteger permits;
  private final BigInteger per;
  private final BigInteger burst;
  private BigInteger tat = BigInteger.ZERO;

  TokenBucketOracle(Limit limit) {
    permits = BigInteger.valueOf(limit.permits());
    per = BigInteger.valueOf(limit.perMicros());
    burst = BigInteger.valueOf(limit.capacity());
  }

  @Override
  public Answer ask(long now, long cost) {
    BigInteger present = BigInteger.valueOf(now).multiply(permits);
    BigInteger start = tat.max(present);
    BigInteger after = start.add(BigInteger.valueOf(cost).multiply(per));
    BigInteger retry = up(after.subtract(burst.multiply(per)).subtract(present));
    boolean allowed = retry.signum() <= 0;
    if (allowed) {
      tat = after;
    }
    BigInteger ahead = tat.max(present).subtract(present);
    long remaining = burst.multiply(per).subtract(ahead).divide(per).longValueExact();
    long reset = up(ahead).longValueExact();
    return new Answer(
        allowed, Math.max(0, remaining), Math.max(0, retry.longValueExact()), reset, 0);
  }

  /** Whole microseconds, rounded up. */
  private BigInteger up(BigInteger scaled) {
    BigInteger[] parts = scaled.divideAndRemainder(permits);
    return parts[1].signum() > 0 ? parts[0].add(BigInteger.ONE) : parts[0];
  }
}
