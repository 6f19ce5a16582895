package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.algorithm.Arithmetic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The limits that the keys of a table may have been charged under: the one used last, those of
 * other plans of the same policy, and those that were replaced. A key is as if never seen only if
 * all of them say so.
 */
final class Rules {
  // A key is kept for a period longer than it must be, and at least this long, so that a clock
  // that steps back finds it.
  private static final long LEAST_GRACE = 1_000_000;
  // No booking is made further ahead, so nobody needs a limit for longer after its last use.
  private static final long LONGEST_WAIT = Duration.ofDays(366).toSeconds() * 1_000_000;

  // Limits may come with each request, so there may be any number of them.
  private static final int MOST_OTHERS = 16;

  private static final Other[] NONE = {};

  private Limit current;
  private Other[] others = NONE;

  private static final class Other {
    final Limit limit;
    long lastUse;

    Other(Limit limit, long lastUse) {
      this.limit = limit;
      this.lastUse = lastUse;
    }

    boolean isOver(long now) {
      return now - lastUse > LONGEST_WAIT + 2 * limit.windowMicros();
    }
  }

  Rules(Limit limit) {
    this.current = limit;
  }

  @SuppressWarnings("ReferenceEquality") // if it is another with the same fields, change finds out
  private @Nullable Other other(Limit limit) {
    for (Other other : others) {
      if (other.limit == limit) {
        return other;
      }
    }
    return null;
  }

  /** Says that keys are decided under this limit now. */
  @SuppressWarnings("ReferenceEquality")
  void use(Limit limit, long now) {
    if (limit != current) {
      Other other = other(limit);
      if (other == null) {
        change(limit, now);
      } else {
        other.lastUse = now;
      }
    }
  }

  private void change(Limit limit, long now) {
    if (!limit.equals(current)) {
      List<Other> kept = new ArrayList<>(List.of(others));
      kept.removeIf(other -> other.limit.equals(limit) || other.isOver(now));
      kept.add(new Other(current, now));
      others = kept.size() > MOST_OTHERS ? slowest(kept, now) : kept.toArray(Other[]::new);
    }
    current = limit;
  }

  /** A key that any of them remembers is remembered by the slowest, or by the longest, as well. */
  private static Other[] slowest(List<Other> all, long now) {
    List<Limit> limits = all.stream().map(other -> other.limit).toList();
    Limit slowest = Collections.max(limits, Comparator.comparingDouble(Rules::microsAPermit));
    Limit longest = Collections.max(limits, Comparator.comparingLong(Limit::perMicros));
    return Stream.of(slowest, longest)
        .distinct()
        .map(limit -> new Other(limit, now))
        .toArray(Other[]::new);
  }

  private static double microsAPermit(Limit limit) {
    return (double) limit.cycleMicros() / limit.cyclePermits();
  }

  /** How many limits are asked whether a key is forgotten. */
  int size() {
    return 1 + others.length;
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
    others = NONE;
  }
}
