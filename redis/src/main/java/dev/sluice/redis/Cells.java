package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.algorithm.Arithmetic;
import dev.sluice.algorithm.Cell;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The buckets and windows of a key as acquire.lua and batch.lua found them. The answers to the
 * requests that a script decided follow from them by the arithmetic of the memory store, whose twin
 * the scripts are: the server is spared that work.
 */
final class Cells {
  private final Plan plan;
  private final List<Limit> limits;
  private final Cell[] cells;
  private final long now;
  private long taken;

  private Cells(Plan plan, Cell[] cells, long now) {
    this.plan = plan;
    this.limits = plan.limits();
    this.cells = cells;
    this.now = now;
  }

  /** The numbers of a reply. */
  static ByteBuffer numbers(Object reply) {
    return ByteBuffer.wrap((byte[]) reply).order(ByteOrder.LITTLE_ENDIAN);
  }

  static long number(ByteBuffer numbers) {
    return (long) numbers.getDouble();
  }

  /**
   * The cells of a plan.
   *
   * @param found t and u of each limit come next
   */
  static Cells read(Plan plan, long now, ByteBuffer found) {
    List<Limit> limits = plan.limits();
    Cell[] cells = new Cell[limits.size()];
    for (int i = 0; i < cells.length; i++) {
      cells[i] = settled(limits.get(i), number(found), number(found), now);
    }
    return new Cells(plan, cells, now);
  }

  /** The only cell of a plan. */
  static Cells of(Plan plan, long now, long t, long u) {
    return new Cells(plan, new Cell[] {settled(plan.limits().get(0), t, u, now)}, now);
  }

  private static Cell settled(Limit limit, long t, long u, long now) {
    return arithmetic(limit).settle(new Cell(t, u), limit, now);
  }

  /** The next answer, in the order in which the script decided. */
  Decision decide(Request request) {
    return cells.length == 1 ? decideOne(request) : decideAll(request);
  }

  /** As {@link #decideAll}: nearly every policy has one limit. */
  private Decision decideOne(Request request) {
    Limit limit = limits.get(0);
    Arithmetic<Cell> arithmetic = arithmetic(limit);
    Cell cell = cells[0];
    long cost = request.cost();
    long retry = arithmetic.earliest(cell, limit, cost, now) - now;
    long passes = now;
    if (retry == 0) {
      taken += cost;
      passes = Math.max(now, arithmetic.passes(cell, limit, now, now));
      cell = arithmetic.charge(cell, limit, cost, now, passes, null);
      cells[0] = cell;
    }
    long remaining = arithmetic.remaining(cell, limit, now);
    long reset = Math.max(0, arithmetic.resetAt(cell, limit, now) - now);
    if (passes > now) {
      LimitDecision[] only = {new LimitDecision(limit, true, remaining, 0, reset)};
      return Decision.of(request, true, only, passes - now, passes, false);
    }
    return Decision.ofOne(plan, request.key(), cost, retry == 0, remaining, retry, reset, now);
  }

  private Decision decideAll(Request request) {
    long cost = request.cost();
    long[] retries = new long[cells.length];
    long passes = now;
    boolean allowed = true;
    for (int i = 0; i < cells.length; i++) {
      Limit limit = limits.get(i);
      retries[i] = arithmetic(limit).earliest(cells[i], limit, cost, now) - now;
      passes = Math.max(passes, arithmetic(limit).passes(cells[i], limit, now, now));
      allowed &= retries[i] == 0;
    }
    if (allowed) {
      charge(cost, passes);
    }
    return answer(request, allowed, retries, allowed ? passes - now : 0);
  }

  private void charge(long cost, long passes) {
    taken += cost;
    for (int i = 0; i < cells.length; i++) {
      Limit limit = limits.get(i);
      cells[i] = arithmetic(limit).charge(cells[i], limit, cost, now, passes, null);
    }
  }

  private Decision answer(Request request, boolean allowed, long[] retries, long wait) {
    LimitDecision[] each = new LimitDecision[cells.length];
    for (int i = 0; i < each.length; i++) {
      each[i] =
          new LimitDecision(limits.get(i), retries[i] == 0, remaining(i), retries[i], reset(i));
    }
    return Decision.of(request, allowed, each, wait, now + wait, false);
  }

  private long remaining(int i) {
    return arithmetic(limits.get(i)).remaining(cells[i], limits.get(i), now);
  }

  private long reset(int i) {
    return Math.max(0, arithmetic(limits.get(i)).resetAt(cells[i], limits.get(i), now) - now);
  }

  /**
   * Compares what was taken here with what the script says it took.
   *
   * @throws IllegalStateException if that is not the same
   */
  void check(long byScript) {
    if (taken != byScript) {
      throw new IllegalStateException(
          "key of policy '%s': must take %d, got %d".formatted(plan.policy(), taken, byScript));
    }
  }

  @SuppressWarnings("unchecked") // the state of these algorithms is a cell
  private static Arithmetic<Cell> arithmetic(Limit limit) {
    return (Arithmetic<Cell>) Arithmetic.of(limit);
  }
}
