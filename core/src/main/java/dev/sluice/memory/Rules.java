package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.algorithm.Arithmetic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The limits that the keys of a table may have been charged under: the one used last, those of
 * other plans of the same policy, and those that were replaced. A key is as if never seen only if
 * all of them say so.
 */
final class Rules {
  // A key is kept for a period longer than it must be, and at least this long: so a clock that
  // steps
  // back finds it.
  private static final long LEAST_GRACE = 1_000_000;
  // No booking is made further ahead, so nobody needs a limit for longer after its last use.
  private static final long LONGEST_WAIT = Duration.ofDays(366).toSeconds() * 1_000_000;

  // Limits may come with each request, so there may be any number of them.
  private static final int MOST_OTHERS = 16;

  private Limit current;
  private final List<Other> others = new ArrayList<>(0);

  private record Other(Limit limit, long lastUse) {
    boolean isOver(long now) {
      return now - lastUse > LONGEST_WAIT + 2 * limit.windowMicros();
    }
  }

  Rules(Limit limit) {
    this.current = limit;
  }

  /** Whether {@link #use} has nothing to do. */
  @SuppressWarnings("ReferenceEquality") // mostly it is the same; if not, it is compared
  boolean isUsing(Limit limit) {
    return limit == current;
  }

  /** Says that keys are charged under this limit now. */
  void use(Limit limit, long now) {
    if (!isUsing(limit)) {
      change(limit, now);
    }
  }

  private void change(Limit limit, long now) {
    if (!limit.equals(current)) {
      others.removeIf(other -> other.limit.equals(limit) || other.isOver(now));
      others.add(new Other(current, now));
      if (others.size() > MOST_OTHERS) {
        keepSlowest(now);
      }
    }
    current = limit;
  }

  /** A key that any of them remembers is remembered by the slowest, or by the longest, as well. */
  private void keepSlowest(long now) {
    Limit slowest = Collections.max(limits(), Comparator.comparingDouble(Rules::microsAPermit));
    Limit longest = Collections.max(limits(), Comparator.comparingLong(Limit::perMicros));
    others.clear();
    others.add(new Other(slowest, now));
    if (!longest.equals(slowest)) {
      others.add(new Other(longest, now));
    }
  }

  private List<Limit> limits() {
    return others.stream().map(Other::limit).toList();
  }

  private static double microsAPermit(Limit limit) {
    return (double) limit.cycleMicros() / limit.cyclePermits();
  }

  /** How many limits are asked whether a key is forgotten. */
  int size() {
    return 1 + others.size();
  }

  boolean forgets(Object state, long now) {
    if (!isForgotten(state, current, now)) {
      return false;
    }
    for (Other other : others) {
      if (!isForgotten(state, other.limit, now)) {
        return false;
      }
    }
    return true;
  }

  @SuppressWarnings("unchecked") // a table holds the states of its limits' algorithm
  private static <S> boolean isForgotten(S state, Limit limit, long now) {
    Arithmetic<S> arithmetic = (Arithmetic<S>) Arithmetic.of(limit);
    long grace = Math.max(LEAST_GRACE, limit.perMicros());
    return arithmetic.resetAt(state, limit, now) <= now - grace;
  }

  /** No key needs a limit any more that is not in use. */
  void nobodyIsLeft() {
    others.clear();
  }
}
