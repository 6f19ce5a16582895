package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.Plan;
import dev.sluice.Request;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Permits in hand: charged in the store, and used here until they end. */
final class Slice {
  private final Permits permits;
  private final String id;
  private final long size;
  private final long end;
  private final long chargedAt;
  private final long received;
  private final LimitDecision[] said;
  // What was left when it was last looked after; read and written there only.
  private long seen;

  /**
   * A slice that the store granted.
   *
   * @param end the instant, in nanoseconds of this process, from which it must not be used
   * @param received when the answer came
   */
  Slice(Request take, Decision answer, long end, long received) {
    this.permits = new Permits(take.cost());
    this.id = String.valueOf(take.id());
    this.size = take.cost();
    // More than there is: a slice that nobody has looked after yet has not rested.
    this.seen = size + 1;
    this.end = end;
    this.chargedAt = answer.passesAtMicros();
    this.received = received;
    List<LimitDecision> limits = answer.limits();
    // The last one is the hold, which callers know nothing of.
    this.said = limits.subList(0, limits.size() - 1).toArray(LimitDecision[]::new);
  }

  /** Uses permits, if there are enough and it is not too late. */
  @Nullable Decision spend(Plan plan, String key, long cost, long now) {
    if (now - end >= 0) {
      return null;
    }
    long left = permits.take(cost);
    return left == Permits.TOO_FEW ? null : granted(plan, key, cost, left, now);
  }

  private Decision granted(Plan plan, String key, long cost, long leftNow, long now) {
    long elapsed = Math.max(0, now - received) / 1_000;
    if (said.length == 1) {
      LimitDecision limit = said[0];
      return Decision.ofOne(
          plan,
          key,
          cost,
          true,
          limit.remaining() + leftNow,
          0,
          Math.max(0, limit.resetAfterMicros() - elapsed),
          chargedAt);
    }
    LimitDecision[] each = new LimitDecision[said.length];
    for (int i = 0; i < each.length; i++) {
      Limit limit = said[i].limit();
      long reset = Math.max(0, said[i].resetAfterMicros() - elapsed);
      each[i] = new LimitDecision(limit, true, said[i].remaining() + leftNow, 0, reset);
    }
    return Decision.of(Request.acquire(plan, key, cost), true, each, 0, chargedAt, false);
  }

  /** Ends it; what was not used. */
  long close() {
    return permits.takeAll();
  }

  boolean isEmpty() {
    return permits.left() == 0;
  }

  boolean isLow() {
    return permits.stock() * 2 < size;
  }

  long left() {
    return permits.left();
  }

  long size() {
    return size;
  }

  String id() {
    return id;
  }

  /** The instant of the store's clock that it was charged for, in microseconds. */
  long chargedAt() {
    return chargedAt;
  }

  long age(long now) {
    return now - received;
  }

  /** Whether nothing was used since this was asked the last time. */
  boolean rested() {
    long leftNow = permits.left();
    boolean same = leftNow == seen;
    seen = leftNow;
    return same;
  }
}
