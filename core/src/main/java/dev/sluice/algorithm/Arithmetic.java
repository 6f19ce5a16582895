package dev.sluice.algorithm;

import dev.sluice.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The questions that a store asks of an algorithm. All times are microseconds since the epoch.
 *
 * <p>A store first brings the state to the present with {@link #settle}, then asks {@link
 * #earliest}; if every limit of a plan has room in time, it takes the permits with {@link #charge}
 * at the one instant at which the request passes.
 *
 * @param <S> what is remembered of a key
 */
public interface Arithmetic<S> {
  /** The arithmetic of an algorithm; the compiler lists here what a new one must touch. */
  static Arithmetic<?> of(Limit limit) {
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET -> TokenBucket.INSTANCE;
      case FIXED_WINDOW -> FixedWindow.INSTANCE;
      case SLIDING_LOG -> SlidingLog.INSTANCE;
      case SLIDING_WINDOW -> SlidingWindow.INSTANCE;
      case LEAKY_BUCKET -> LeakyBucket.INSTANCE;
      case CONCURRENCY -> Concurrency.INSTANCE;
    };
  }

  /** The state of a key never seen. */
  S fresh(Limit limit, long now);

  /**
   * The state brought to {@code now}. Where the clock has stepped back by more than a period, a
   * state that restarts at {@code now} and keeps what was used; never changes its argument.
   */
  S settle(S state, Limit limit, long now);

  /**
   * Whether {@link #settle} starts the state anew at {@code now}, mostly because the clock has
   * stepped far back: then it must be kept even if the request is denied, or each request would
   * start it anew and the key would wait for ever.
   */
  boolean stranded(S state, Limit limit, long now);

  /** The first instant, {@code now} or later, at which {@code cost} has room. */
  long earliest(S state, Limit limit, long cost, long now);

  /** Whether a request may book a place for when there will be room. */
  default boolean books() {
    return true;
  }

  /** The last instant for which a permit can be counted; a request that passes later is denied. */
  default long reach(Limit limit, long now) {
    return Long.MAX_VALUE;
  }

  /** The instant at which a request that has room at {@code at} passes. */
  default long passes(S state, Limit limit, long now, long at) {
    return at;
  }

  /**
   * The state after {@code cost} was taken by a request that passes at {@code at}. May change its
   * argument.
   *
   * @param id names what is taken, where it can be released
   */
  S charge(S state, Limit limit, long cost, long now, long at, @Nullable String id);

  /**
   * The state after {@code cost} was given back, never more than was used.
   *
   * @param at the instant that the charge was for, in the past or the future; 0 for a refund of
   *     permits that nobody names, which are the newest
   * @param by what {@link #comesBackBy} said after the charge; never, where nobody noted it
   */
  S refund(S state, Limit limit, long cost, long now, long at, long by);

  /**
   * The instant by which everything charged so far has come back, the oldest first; never, where
   * each charge is known by its instant.
   */
  default long comesBackBy(S state, Limit limit) {
    return Long.MAX_VALUE;
  }

  /** Permits that come back in any time, a fraction rounded up. */
  default long comingBack(Limit limit, long elapsed) {
    return Long.MAX_VALUE;
  }

  /**
   * The state in which {@code cost} that was charged for {@code at} counts from {@code now}: as it
   * is, where it makes no difference when a request passed.
   */
  default S postpone(S state, Limit limit, long cost, long now, long at) {
    return state;
  }

  /** What {@link #charge} with the same arguments started from. */
  default S undo(S before, S charged, long cost, long at, @Nullable String id) {
    return before;
  }

  /** How much of {@code cost} there is for a request that passes in any case. */
  default long available(S state, Limit limit, long cost, long now) {
    return Math.min(cost, remaining(state, limit, now));
  }

  /** Permits left at {@code now}. */
  long remaining(S state, Limit limit, long now);

  /**
   * The instant at which the key is as if never seen; {@code now} or earlier if it is already. The
   * one question that may be asked of a state that was not brought to the present.
   */
  long resetAt(S state, Limit limit, long now);
}
