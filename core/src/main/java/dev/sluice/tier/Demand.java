package dev.sluice.tier;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How often keys were admitted of late, roughly: keys that share a place are counted together,
 * which at worst begins a slice early. Costs the same for any number of keys.
 */
final class Demand {
  private static final int PLACES = 1_024;
  // A place holds the number of an interval and, in the low bits, how often in it.
  private static final int COUNT_BITS = 16;

  private final long intervalNanos;
  private final AtomicLongArray places = new AtomicLongArray(PLACES);

  Demand(long intervalNanos) {
    this.intervalNanos = intervalNanos;
  }

  /** Counts one admission; how many there were in this interval. */
  long count(String policy, String key, long now) {
    int place = ((key.hashCode() * 31 + policy.hashCode()) * 0x9E3779B9) >>> 22;
    long interval = Math.floorDiv(now, intervalNanos) << COUNT_BITS;
    long counted =
        places.updateAndGet(
            place,
            before -> {
              boolean sameInterval = before >> COUNT_BITS == interval >> COUNT_BITS;
              return Math.min((sameInterval ? before : interval) + 1, interval + 0xFFFF);
            });
    return counted - interval;
  }
}
