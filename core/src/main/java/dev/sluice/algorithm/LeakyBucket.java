package dev.sluice.algorithm;

import dev.sluice.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Requests pass P/N apart, in order of arrival; some may wait, the rest are denied. Twin of
 * leaky_bucket.lua.
 *
 * <p>The state is that of a {@link TokenBucket} whose capacity is the queue and the one that passes
 * at once: {@code u} slots have been given out since {@code t}, a slot is used up P/N after it
 * began, and the next request gets the slot after the last one given out.
 */
public final class LeakyBucket implements Arithmetic<Cell> {
  /** Stateless. */
  public static final LeakyBucket INSTANCE = new LeakyBucket();

  private static final TokenBucket SLOTS = TokenBucket.INSTANCE;

  private LeakyBucket() {}

  @Override
  public Cell fresh(Limit limit, long now) {
    return SLOTS.fresh(limit, now);
  }

  @Override
  public Cell settle(Cell s, Limit limit, long now) {
    return SLOTS.settle(s, limit, now);
  }

  @Override
  public boolean stranded(Cell s, Limit limit, long now) {
    return SLOTS.stranded(s, limit, now);
  }

  @Override
  public long earliest(Cell s, Limit limit, long cost, long now) {
    return SLOTS.earliest(s, limit, cost, now);
  }

  /** The queue is the booking: who finds it full is denied. */
  @Override
  public boolean books() {
    return false;
  }

  @Override
  public long passes(Cell s, Limit limit, long now, long at) {
    return s.u() == 0 ? at : Math.max(at, s.t() + limit.microsFor(s.u()));
  }

  @Override
  public Cell charge(Cell s, Limit limit, long cost, long now, long at, @Nullable String id) {
    // Where another limit delays it further, the slots until then go unused.
    return at > passes(s, limit, now, now)
        ? TokenBucket.fullAt(at, limit, cost, now)
        : new Cell(s.u() == 0 ? now : s.t(), s.u() + cost);
  }

  @Override
  public Cell refund(Cell s, Limit limit, long cost, long now, long at, long by) {
    if (s.u() == 0) {
      return s;
    }
    // A slot with others behind it cannot be given again: their passes are fixed. Those that nobody
    // names are the last ones, and nobody may still wait for them.
    long ends = by == Long.MAX_VALUE ? at + limit.microsFor(cost) : by;
    boolean last =
        at == 0
            ? s.t() + limit.microsFor(s.u() - 1) <= now
            : ends >= s.t() + limit.microsFor(s.u());
    return last ? new Cell(s.t(), Math.max(s.u() - cost, TokenBucket.returned(s, limit, now))) : s;
  }

  @Override
  public long comesBackBy(Cell s, Limit limit) {
    return SLOTS.comesBackBy(s, limit);
  }

  @Override
  public long comingBack(Limit limit, long elapsed) {
    return SLOTS.comingBack(limit, elapsed);
  }

  @Override
  public long remaining(Cell s, Limit limit, long now) {
    return SLOTS.remaining(s, limit, now);
  }

  @Override
  public long resetAt(Cell s, Limit limit, long now) {
    return SLOTS.resetAt(s, limit, now);
  }
}
