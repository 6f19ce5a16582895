package dev.sluice.algorithm;

import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import org.jspecify.annotations.Nullable;

/**
 * At most N in each window. Twin of fixed_window.lua.
 *
 * <p>Windows follow each other from the epoch, from the first request, or with the calendar. {@code
 * t} is the instant of the last charge (for windows that start with the first request, the start of
 * the window), so a changed period keeps what was used. {@code u} is the count in the newest window
 * that has one, plus 2^40 for each window that it lies ahead: bookings fill one window after the
 * other.
 */
public final class FixedWindow implements Arithmetic<Cell> {
  /** Stateless. */
  public static final FixedWindow INSTANCE = new FixedWindow();

  private static final long AHEAD = 1L << 40;
  // A count further ahead than this would leave the range in which Lua's numbers are exact.
  private static final long MOST_AHEAD = 8_190;
  // The start of each window of a calendar travels to Redis: so many days of them, no more.
  private static final long CALENDAR_REACH = 1_000L * 86_400_000_000L;

  private FixedWindow() {}

  @Override
  public Cell fresh(Limit limit, long now) {
    return new Cell(now, 0);
  }

  @Override
  public Cell settle(Cell s, Limit limit, long now) {
    if (s.t() > now) {
      return stranded(s, limit, now) ? new Cell(now, s.u()) : s;
    }
    long ahead = s.u() / AHEAD;
    long passed = windowsBetween(limit, s.t(), now, ahead + 1);
    if (passed == 0) {
      return s;
    }
    if (passed > ahead) {
      return fresh(limit, now);
    }
    long t = rolls(limit) ? s.t() + passed * limit.perMicros() : now;
    return new Cell(t, s.u() - passed * AHEAD);
  }

  @Override
  public boolean stranded(Cell s, Limit limit, long now) {
    return s.t() - now > limit.perMicros();
  }

  @Override
  public long earliest(Cell s, Limit limit, long cost, long now) {
    long ahead = s.u() / AHEAD;
    long window = s.u() % AHEAD + cost <= limit.permits() ? ahead : ahead + 1;
    return window == 0 ? now : start(limit, origin(s, limit, now), window);
  }

  @Override
  public long reach(Limit limit, long now) {
    // One window less: the present one may have begun after now, where the clock stepped back.
    return now + (limit.unit() == null ? (MOST_AHEAD - 1) * limit.perMicros() : CALENDAR_REACH);
  }

  @Override
  public Cell charge(Cell s, Limit limit, long cost, long now, long at, @Nullable String id) {
    long origin = origin(s, limit, now);
    long ahead = s.u() / AHEAD;
    // A forced request passes however late; what it takes is counted as far ahead as can be.
    long counted = Math.min(at, reach(limit, now));
    long window = Math.max(ahead, windowsBetween(limit, origin, counted, MOST_AHEAD));
    long count = window == ahead ? s.u() % AHEAD : 0;
    return new Cell(origin, window * AHEAD + count + cost);
  }

  @Override
  public Cell refund(Cell s, Limit limit, long cost, long now, long at, long by) {
    long origin = origin(s, limit, now);
    boolean over = at > 0 && at < start(limit, origin, 0);
    // Only the newest window has its count; a place in an older one is lost.
    if (over || windowsBetween(limit, origin, at, MOST_AHEAD) != s.u() / AHEAD) {
      return s;
    }
    return new Cell(s.t(), s.u() - Math.min(cost, s.u() % AHEAD));
  }

  @Override
  public long remaining(Cell s, Limit limit, long now) {
    return s.u() >= AHEAD ? 0 : Math.max(0, limit.permits() - s.u());
  }

  @Override
  public long resetAt(Cell s, Limit limit, long now) {
    // Rounded up: in a window ahead whose bookings were all given back there is nothing to reset.
    long windows = (s.u() + AHEAD - 1) / AHEAD;
    return windows == 0 ? s.t() : start(limit, s.t(), windows);
  }

  private static boolean rolls(Limit limit) {
    return limit.align() == Limit.Align.FIRST_REQUEST;
  }

  /**
   * An instant in the present window: its start where windows roll from the first request. A clock
   * that stepped back a little is still in the window of the last charge.
   */
  private static long origin(Cell s, Limit limit, long now) {
    return rolls(limit) && s.u() > 0 ? s.t() : Math.max(now, s.t());
  }

  /** The start of the window that is {@code offset} windows after the one that holds {@code x}. */
  private static long start(Limit limit, long x, long offset) {
    long per = limit.perMicros();
    CalendarUnit unit = limit.unit();
    if (unit != null) {
      return unit.startMicros(x, limit.zone(), offset);
    }
    return rolls(limit) ? x + offset * per : (Math.floorDiv(x, per) + offset) * per;
  }

  /** How many windows start after {@code from} and by {@code to}, counted up to {@code most}. */
  private static long windowsBetween(Limit limit, long from, long to, long most) {
    if (to <= from) {
      return 0;
    }
    long per = limit.perMicros();
    return switch (limit.align()) {
      case EPOCH -> Math.floorDiv(to, per) - Math.floorDiv(from, per);
      case FIRST_REQUEST -> (to - from) / per;
      case CALENDAR -> {
        long windows = 0;
        while (windows < most && start(limit, from, windows + 1) <= to) {
          windows++;
        }
        yield windows;
      }
    };
  }
}
