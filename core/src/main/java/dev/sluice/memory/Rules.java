package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.algorithm.Arithmetic;
import java.util.ArrayList;
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

  private Limit current;
  private final List<Other> others = new ArrayList<>(0);

  private static final class Other {
    final Limit limit;
    // Whether a key was seen that this limit still remembers, since the last look at all keys.
    boolean needed = true;

    Other(Limit limit) {
      this.limit = limit;
    }
  }

  Rules(Limit limit) {
    this.current = limit;
  }

  /** Says that keys are charged under this limit now. */
  @SuppressWarnings("ReferenceEquality") // an equal limit only takes a place for a while
  void use(Limit limit) {
    if (limit != current) {
      others.removeIf(other -> other.limit == limit);
      others.add(new Other(current));
      current = limit;
    }
  }

  <S> boolean forgets(S state, long now) {
    boolean forgotten = isForgotten(state, current, now);
    for (Other other : others) {
      if (!isForgotten(state, other.limit, now)) {
        other.needed = true;
        forgotten = false;
      }
    }
    return forgotten;
  }

  @SuppressWarnings("unchecked") // a table holds the states of its limits' algorithm
  private static <S> boolean isForgotten(S state, Limit limit, long now) {
    Arithmetic<S> arithmetic = (Arithmetic<S>) Arithmetic.of(limit);
    long grace = Math.max(LEAST_GRACE, limit.perMicros());
    return arithmetic.resetAt(state, limit, now) <= now - grace;
  }

  /** All keys have been looked at: limits that none of them needs are dropped. */
  void lookedAtAll() {
    others.removeIf(other -> !other.needed);
    others.forEach(other -> other.needed = false);
  }

  /** Keys have moved, so that some may not have been looked at. */
  void lookAgain() {
    others.forEach(other -> other.needed = true);
  }
}
