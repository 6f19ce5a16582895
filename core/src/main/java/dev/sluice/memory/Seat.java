package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.algorithm.Arithmetic;
import dev.sluice.algorithm.Concurrency;
import dev.sluice.algorithm.Leases;
import org.jspecify.annotations.Nullable;

/** One limit of one request while it is decided: the state found, and what was made of it. */
final class Seat<S> {
  final Limit limit;
  private final Shelf shelf;
  private Shelf holder;
  private final Arithmetic<S> arithmetic;
  private final String key;
  private final int hash;
  private final long now;
  private final boolean known;
  private final boolean restarted;
  // Whether anything is left of what was used: of a key as if never seen nothing can be given back.
  private final boolean used;
  private S before;
  private S state;

  /**
   * @param shelf where the limit keeps its states
   * @param holder where the key has its state, if it has any
   */
  @SuppressWarnings("unchecked") // a shelf holds the states of the limit's algorithm
  Seat(
      Shelf shelf,
      Shelf holder,
      Limit limit,
      Arithmetic<?> arithmetic,
      String key,
      int hash,
      long now) {
    this.shelf = shelf;
    this.holder = holder;
    this.limit = limit;
    this.arithmetic = (Arithmetic<S>) arithmetic;
    this.key = key;
    this.hash = hash;
    this.now = now;
    Object found = holder.load(key, hash, now);
    this.known = found != null;
    S start = found == null ? this.arithmetic.fresh(limit, now) : (S) found;
    // A key that starts with less than its capacity starts with its first request, denied or not.
    this.restarted =
        known ? this.arithmetic.stranded(start, limit, now) : limit.initial() < limit.capacity();
    this.used = known && this.arithmetic.resetAt(start, limit, now) > now;
    this.before = this.arithmetic.settle(start, limit, now);
    this.state = before;
    shelf.use(limit, now);
  }

  long earliest(long cost) {
    return arithmetic.earliest(state, limit, cost, now);
  }

  long passes(long at) {
    return arithmetic.passes(state, limit, now, at);
  }

  long reach() {
    return arithmetic.reach(limit, now);
  }

  boolean books() {
    return arithmetic.books();
  }

  void charge(long cost, long at, @Nullable String id) {
    before = state;
    state = arithmetic.charge(state, limit, cost, now, at, id);
  }

  void undo(long cost, long at, @Nullable String id) {
    state = arithmetic.undo(before, state, cost, at, id);
  }

  /** The instant by which what was charged so far has come back, if that can be told. */
  long comesBackBy() {
    return arithmetic.comesBackBy(state, limit);
  }

  void refund(long cost, long at) {
    refund(cost, at, Long.MAX_VALUE);
  }

  /**
   * Gives back what is left of a charge.
   *
   * @param by as {@link #comesBackBy} said when it was charged: what has come back since was given
   *     to others
   */
  void refund(long cost, long at, long by) {
    if (used) {
      long left = arithmetic.comingBack(limit, Math.max(0, by - now));
      long given = by == Long.MAX_VALUE ? cost : Math.min(cost, left);
      state = arithmetic.refund(state, limit, given, now, at, by);
    }
  }

  void postpone(long cost, long at) {
    state = arithmetic.postpone(state, limit, cost, now, at);
  }

  boolean release(String id) {
    return state instanceof Leases leases && Concurrency.INSTANCE.release(leases, now, id);
  }

  long available(long cost) {
    return arithmetic.available(state, limit, cost, now);
  }

  /** What the limit says of a request for which it has room after {@code retryAfter}. */
  LimitDecision says(long retryAfter) {
    long reset = Math.max(now, arithmetic.resetAt(state, limit, now)) - now;
    long remaining = arithmetic.remaining(state, limit, now);
    return new LimitDecision(limit, retryAfter == 0, remaining, retryAfter, reset);
  }

  /** Writes the state back; how many keys that added. */
  int save() {
    int moved = moveHere();
    int before = shelf.size();
    shelf.save(key, hash, state);
    return shelf.size() - before - moved;
  }

  /** Takes the state from where the limit's rate before had it; how many keys that removed. */
  private int moveHere() {
    if (holder.equals(shelf)) {
      return 0;
    }
    int before = holder.size();
    holder.forget(key, hash);
    int moved = before - holder.size();
    holder = shelf;
    return moved;
  }

  /** Writes the state back only if it had to start anew; how many keys that added. */
  int saveIfRestarted() {
    return restarted ? save() : 0;
  }

  /** Writes the state of a key back that was known before. */
  void saveIfKnown() {
    if (known) {
      save();
    }
  }

  /** Forgets the key; how many keys that removed. */
  int forget() {
    int before = holder.size();
    holder.forget(key, hash);
    return before - holder.size();
  }
}
