package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * At most N by an estimate over the last P. Twin of sliding_window.lua.
 *
 * <p>Time is cut into blocks of the limit's precision, aligned to the epoch; the {@link HitLog}
 * holds one entry for each block with hits, at the block's start. At an instant that lies y into
 * its block, the blocks inside the last P count whole, and the block that the window is leaving
 * counts by its overlap (precision − y) / precision, rounded up. With a precision of P this is the
 * two-counter form. The running totals make the cost independent of the number of blocks.
 */
public final class SlidingWindow implements Arithmetic<HitLog> {
  /** Stateless. */
  public static final SlidingWindow INSTANCE = new SlidingWindow();

  // Bookings beyond this would leave the range in which Lua's numbers are exact.
  private static final long MOST_BOOKED = 1L << 51;

  private SlidingWindow() {}

  @Override
  public HitLog fresh(Limit limit, long now) {
    return new HitLog();
  }

  @Override
  public HitLog settle(HitLog log, Limit limit, long now) {
    return stranded(log, limit, now) ? SlidingLog.restarted(log, blockOf(limit, now), now) : log;
  }

  @Override
  public boolean stranded(HitLog log, Limit limit, long now) {
    // The first permit of a block comes back a little later than a period; that must not add up.
    long late = limit.precisionMicros() / limit.permits();
    return log.seen() > now + limit.perMicros() - late;
  }

  @Override
  public long earliest(HitLog log, Limit limit, long cost, long now) {
    long used = estimate(log, limit, now) + cost;
    if (used <= limit.permits()) {
      return now;
    }
    if (used > MOST_BOOKED) {
      return now + SlidingLog.FAR;
    }
    // Everything before this block must be gone, and enough of the block itself.
    int leaving = log.firstReaching(log.total() + cost - limit.permits());
    long count = log.total(leaving) - log.total(leaving - 1);
    long room = limit.permits() - cost - (log.total() - log.total(leaving));
    long into = limit.precisionMicros() - mulDiv(room, limit.precisionMicros(), count);
    return Math.max(log.time(leaving) + limit.perMicros() + into, log.lastTime());
  }

  @Override
  public HitLog charge(HitLog log, Limit limit, long cost, long now, long at, @Nullable String id) {
    long present = Math.max(now, log.seen());
    log.dropFirst(log.countUntil(leavingBlock(limit, present) - 1));
    log.append(Math.max(blockOf(limit, Math.max(at, present)), log.lastTime()), cost);
    log.seen(present);
    return log;
  }

  @Override
  public HitLog refund(HitLog log, Limit limit, long cost, long now, long at, long by) {
    long present = Math.max(now, log.seen());
    int oldest = log.countUntil(leavingBlock(limit, present) - 1);
    if (at == 0) {
      log.takeBackNewest(oldest, present, cost);
    } else {
      log.takeBackAt(oldest, blockOf(limit, at), cost);
    }
    return log;
  }

  @Override
  public HitLog undo(HitLog before, HitLog charged, long cost, long at, @Nullable String id) {
    return SlidingLog.INSTANCE.undo(before, charged, cost, at, id);
  }

  @Override
  public long remaining(HitLog log, Limit limit, long now) {
    return Math.max(0, limit.permits() - estimate(log, limit, now));
  }

  @Override
  public long resetAt(HitLog log, Limit limit, long now) {
    return log.size() == 0
        ? log.seen()
        : log.lastTime() + limit.perMicros() + limit.precisionMicros();
  }

  private static long estimate(HitLog log, Limit limit, long now) {
    long present = Math.max(now, log.seen());
    long precision = limit.precisionMicros();
    long leaving = leavingBlock(limit, present);
    int whole = log.countUntil(leaving);
    long estimate = log.total() - log.total(whole - 1);
    if (whole > 0 && log.time(whole - 1) == leaving) {
      long count = log.total(whole - 1) - log.total(whole - 2);
      long overlap = precision - Math.floorMod(present, precision);
      estimate += count - mulDiv(count, precision - overlap, precision);
    }
    return estimate;
  }

  private static long blockOf(Limit limit, long time) {
    return time - Math.floorMod(time, limit.precisionMicros());
  }

  private static long leavingBlock(Limit limit, long time) {
    return blockOf(limit, time) - limit.perMicros();
  }

  /** ⌊a·b/c⌋ for numbers whose product may not fit a long. */
  private static long mulDiv(long a, long b, long c) {
    if (Math.multiplyHigh(a, b) == 0 && a * b >= 0) {
      return a * b / c;
    }
    return BigInteger.valueOf(a)
        .multiply(BigInteger.valueOf(b))
        .divide(BigInteger.valueOf(c))
        .longValueExact();
  }
}
