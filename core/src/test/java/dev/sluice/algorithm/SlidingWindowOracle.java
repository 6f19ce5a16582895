package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.TreeMap;

/** Counts by block in a map; the estimate is summed block by block, the retry time is searched. */
final class SlidingWindowOracle implements Oracle {
  private final Limit limit;
  private final TreeMap<Long, Long> blocks = new TreeMap<>();

  SlidingWindowOracle(Limit limit) {
    this.limit = limit;
  }

  @Override
  public Answer ask(long now, long cost) {
    boolean allowed = estimate(now) + cost <= limit.permits();
    long retry = allowed ? 0 : firstWith(now, limit.permits() - cost) - now;
    if (allowed) {
      blocks.merge(now / limit.precisionMicros(), cost, Long::sum);
    }
    long remaining = Math.max(0, limit.permits() - estimate(now));
    return new Answer(allowed, remaining, retry, firstEmpty(now) - now, 0);
  }

  private long estimate(long at) {
    long width = limit.precisionMicros();
    long windowStart = at - limit.perMicros();
    long estimate = 0;
    for (var block : blocks.entrySet()) {
      long start = block.getKey() * width;
      long overlap = Math.min(width, start + width - windowStart);
      // The present block is never older than the window, and counts whole although it goes on.
      if (overlap > 0) {
        estimate +=
            BigDecimal.valueOf(block.getValue())
                .multiply(BigDecimal.valueOf(overlap))
                .divide(BigDecimal.valueOf(width), 0, RoundingMode.CEILING)
                .longValueExact();
      }
    }
    return estimate;
  }

  /** The first microsecond at which the estimate is no more than {@code most}: it only falls. */
  private long firstWith(long now, long most) {
    long denied = now;
    long free = now + limit.perMicros() + limit.precisionMicros();
    while (free - denied > 1) {
      long middle = denied + (free - denied) / 2;
      if (estimate(middle) <= most) {
        free = middle;
      } else {
        denied = middle;
      }
    }
    return free;
  }

  private long firstEmpty(long now) {
    return estimate(now) == 0
        ? now
        : (blocks.lastKey() + 1) * limit.precisionMicros() + limit.perMicros();
  }
}
