package dev.sluice.algorithm;

import dev.sluice.Limit;
import org.jspecify.annotations.Nullable;

/**
 * At most N in every half-open window of length P. Twin of sliding_log.lua.
 *
 * <p>A hit at time h counts until h + P. The log keeps running totals ({@link HitLog}), so a
 * decision costs the same for ten hits and for a hundred thousand. Bookings are hits with a time in
 * the future; they count at once.
 */
public final class SlidingLog implements Arithmetic<HitLog> {
  /** Stateless. */
  public static final SlidingLog INSTANCE = new SlidingLog();

  // Every hit is remembered, bookings too; and twice as many permits must fit a total in Redis.
  private static final long MOST_BOOKED = 1L << 23;
  static final long FAR = 36_525L * 86_400_000_000L;

  private SlidingLog() {}

  @Override
  public HitLog fresh(Limit limit, long now) {
    return new HitLog();
  }

  @Override
  public HitLog settle(HitLog log, Limit limit, long now) {
    return stranded(log, limit, now) ? restarted(log, now, now) : log;
  }

  /** After a step back of the clock: all that is remembered counts as one hit at {@code time}. */
  static HitLog restarted(HitLog log, long time, long now) {
    HitLog restarted = new HitLog();
    restarted.append(time, log.total() - log.total(-1));
    restarted.seen(now);
    return restarted;
  }

  @Override
  public boolean stranded(HitLog log, Limit limit, long now) {
    return log.seen() > now + limit.perMicros();
  }

  @Override
  public long earliest(HitLog log, Limit limit, long cost, long now) {
    long used = used(log, limit, now) + cost;
    if (used <= limit.permits()) {
      return now;
    }
    if (used > MOST_BOOKED) {
      return now + FAR;
    }
    int last = log.firstReaching(log.total() + cost - limit.permits());
    return Math.max(log.time(last) + limit.perMicros(), log.lastTime());
  }

  @Override
  public HitLog charge(HitLog log, Limit limit, long cost, long now, long at, @Nullable String id) {
    long present = Math.max(now, log.seen());
    log.dropFirst(log.countUntil(present - limit.perMicros()));
    log.append(Math.max(Math.max(at, present), log.lastTime()), cost);
    log.seen(present);
    return log;
  }

  @Override
  public HitLog refund(HitLog log, Limit limit, long cost, long now, long at, long by) {
    long present = Math.max(now, log.seen());
    int oldest = log.countUntil(present - limit.perMicros());
    if (at == 0) {
      log.takeBackNewest(oldest, present, cost);
    } else {
      log.takeBackAt(oldest, at, cost);
    }
    return log;
  }

  /**
   * Among the bookings, not behind them: a hit counts for a period from its own time. Where the hit
   * is not found, say because it has expired, one more is counted.
   */
  @Override
  public HitLog postpone(HitLog log, Limit limit, long cost, long now, long at) {
    long present = Math.max(now, log.seen());
    if (at < present) {
      log.dropFirst(log.countUntil(present - limit.perMicros()));
      log.takeBackAt(0, at, cost);
      if (log.total() - log.total(-1) + cost <= MOST_BOOKED) {
        log.insert(present, cost);
        log.seen(present);
      }
    }
    return log;
  }

  @Override
  public HitLog undo(HitLog before, HitLog charged, long cost, long at, @Nullable String id) {
    charged.takeBackAt(0, charged.lastTime(), cost);
    return charged;
  }

  @Override
  public long remaining(HitLog log, Limit limit, long now) {
    return Math.max(0, limit.permits() - used(log, limit, now));
  }

  @Override
  public long resetAt(HitLog log, Limit limit, long now) {
    return log.size() == 0 ? log.seen() : log.lastTime() + limit.perMicros();
  }

  private static long used(HitLog log, Limit limit, long now) {
    long cutoff = Math.max(now, log.seen()) - limit.perMicros();
    return log.total() - log.total(log.countUntil(cutoff) - 1);
  }
}
