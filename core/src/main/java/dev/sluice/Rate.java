package dev.sluice;

import java.math.BigInteger;

/**
 * How fast permits come back: {@code permits} in every {@code micros}, in lowest terms.
 *
 * <p>The product of the two stays below 2^52, so that every intermediate result of the engine is
 * exact, in Java's longs and in Lua's doubles alike. A rate that does not fit is replaced by the
 * largest fraction below it that does: never faster, and slower by less than one part in a million
 * (RateTest).
 */
public record Rate(long permits, long micros) {
  // Some 142 years: longer than any capacity takes to come back, and near enough that an instant so
  // far ahead is still exact in Lua.
  private static final long FOREVER = 1L << 52;
  private static final BigInteger PRODUCT_LIMIT = BigInteger.ONE.shiftLeft(52);

  /** The rate of {@code permits} in {@code micros}, or the nearest below it that is exact. */
  public static Rate of(long permits, long micros) {
    BigInteger n = BigInteger.valueOf(permits);
    BigInteger p = BigInteger.valueOf(micros);
    BigInteger divisor = n.gcd(p);
    n = n.divide(divisor);
    p = p.divide(divisor);
    if (n.multiply(p).compareTo(PRODUCT_LIMIT) <= 0) {
      return new Rate(n.longValueExact(), p.longValueExact());
    }
    return largestBelow(n, p);
  }

  /**
   * One permit every whole number of microseconds where that costs at most 0.01 % of the rate, so
   * that the spacing is never too short; else the exact rate.
   */
  public static Rate spacing(long permits, long micros) {
    long interval = -Math.floorDiv(-micros, permits);
    BigInteger slower = BigInteger.valueOf(interval).multiply(BigInteger.valueOf(permits));
    BigInteger excess = slower.subtract(BigInteger.valueOf(micros));
    boolean cheap =
        excess.multiply(BigInteger.valueOf(10_000)).compareTo(BigInteger.valueOf(micros)) <= 0;
    return cheap ? new Rate(1, interval) : of(permits, micros);
  }

  /** Walks the Stern-Brocot tree from the fractions around n/p as long as the product is small. */
  private static Rate largestBelow(BigInteger n, BigInteger p) {
    BigInteger lowN = BigInteger.ZERO;
    BigInteger lowP = BigInteger.ONE;
    BigInteger highN = BigInteger.ONE;
    BigInteger highP = BigInteger.ZERO;
    while (true) {
      // low + k·high stays at or below n/p for k up to this; one division replaces k single steps.
      BigInteger k =
          n.multiply(lowP)
              .subtract(p.multiply(lowN))
              .divide(p.multiply(highN).subtract(n.multiply(highP)));
      k = mostThatFits(lowN, lowP, highN, highP, k);
      lowN = lowN.add(k.multiply(highN));
      lowP = lowP.add(k.multiply(highP));
      BigInteger gap = n.multiply(lowP).subtract(p.multiply(lowN));
      BigInteger above = p.multiply(highN).subtract(n.multiply(highP));
      if (gap.signum() == 0) {
        break;
      }
      BigInteger j = above.subtract(BigInteger.ONE).divide(gap);
      BigInteger fitting = mostThatFits(highN, highP, lowN, lowP, j);
      highN = highN.add(fitting.multiply(lowN));
      highP = highP.add(fitting.multiply(lowP));
      if (k.signum() == 0 && fitting.signum() == 0) {
        break;
      }
    }
    return new Rate(lowN.longValueExact(), lowP.longValueExact());
  }

  /** The largest k up to {@code most} for which (a + k·c)·(b + k·d) is within the limit. */
  private static BigInteger mostThatFits(
      BigInteger a, BigInteger b, BigInteger c, BigInteger d, BigInteger most) {
    BigInteger low = BigInteger.ZERO;
    BigInteger high = most;
    while (low.compareTo(high) < 0) {
      BigInteger middle = low.add(high).add(BigInteger.ONE).shiftRight(1);
      BigInteger product = a.add(middle.multiply(c)).multiply(b.add(middle.multiply(d)));
      if (product.compareTo(PRODUCT_LIMIT) <= 0) {
        low = middle;
      } else {
        high = middle.subtract(BigInteger.ONE);
      }
    }
    return low;
  }

  /** Permits that have come back {@code elapsed} after none had; {@code elapsed} below a cycle. */
  public long permitsWithin(long elapsed) {
    // One permit a cycle is by far the most common rate, and a division the dearest instruction.
    return permits == 1 ? 0 : elapsed * permits / micros;
  }

  /** The time, rounded up, in which {@code count} permits come back. */
  public long microsFor(long count) {
    if (permits == 1) {
      return product(count, micros);
    }
    long rest = count % permits;
    long whole = product(count / permits, micros);
    return Math.min(FOREVER, whole + (rest * micros + permits - 1) / permits);
  }

  /** The time in which {@code count} permits come back where they come in whole batches. */
  long batchMicrosFor(long count) {
    return product(-Math.floorDiv(-count, permits), micros);
  }

  /**
   * A debt from before a limit was changed may take longer than anybody can count: then for ever.
   */
  private static long product(long cycles, long micros) {
    long product = cycles * micros;
    return Math.multiplyHigh(cycles, micros) == 0 && product >= 0
        ? Math.min(product, FOREVER)
        : FOREVER;
  }
}
