package dev.sluice.redis;

import dev.sluice.Algorithm;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.algorithm.Arithmetic;
import dev.sluice.algorithm.Cell;
import dev.sluice.algorithm.FixedWindow;
import dev.sluice.algorithm.TokenBucket;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Requests for one plan and key that travel in one {@link Batch}. The script decides them in order
 * and answers with the state that it found; each answer follows from it by the arithmetic of the
 * memory store, whose twin the script is. That both took the same is checked each time.
 */
final class Group {
  /** What a group's text says where it was not decided, and nothing was done. */
  static final String LEFT = "LEFT";

  final Prepared plan;
  final String key;
  final List<Ticket> tickets = new ArrayList<>(4);

  Group(Prepared plan, String key) {
    this.plan = plan;
    this.key = key;
  }

  boolean isOf(Prepared some, String any) {
    return plan == some && key.equals(any);
  }

  /** The cost of a single request; else the runs of equal costs. */
  void addCosts(List<byte[]> args) {
    if (tickets.size() == 1) {
      args.add(number(tickets.get(0).request().cost()));
      return;
    }
    List<byte[]> runs = new ArrayList<>();
    long cost = tickets.get(0).request().cost();
    long times = 0;
    for (Ticket ticket : tickets) {
      if (ticket.request().cost() != cost) {
        runs.add(number(times));
        runs.add(number(cost));
        cost = ticket.request().cost();
        times = 0;
      }
      times++;
    }
    runs.add(number(times));
    runs.add(number(cost));
    args.add(number(-runs.size() / 2));
    args.addAll(runs);
  }

  private static byte[] number(long value) {
    return Prepared.text(Long.toString(value));
  }

  /**
   * Tells each request its answer.
   *
   * @param taken what the script says was taken
   * @param found t and u of each limit
   * @throws IllegalStateException if that is not what these requests would have taken
   */
  void answer(long now, long taken, Iterator<Object> found) {
    List<Limit> limits = plan.plan.limits();
    Cell[] cells = new Cell[limits.size()];
    for (int i = 0; i < cells.length; i++) {
      Cell cell = new Cell((Long) found.next(), (Long) found.next());
      cells[i] = arithmetic(limits.get(i)).settle(cell, limits.get(i), now);
    }
    long allowed = 0;
    Decision[] decisions = new Decision[tickets.size()];
    for (int i = 0; i < decisions.length; i++) {
      Ticket ticket = tickets.get(i);
      decisions[i] =
          cells.length == 1
              ? decideOne(ticket, limits.get(0), cells, now)
              : decide(ticket, limits, cells, now);
      allowed += decisions[i].allowed() ? ticket.request().cost() : 0;
    }
    if (allowed != taken) {
      throw new IllegalStateException(
          "key of policy '%s': must take %d, got %d"
              .formatted(plan.plan.policy(), allowed, taken));
    }
    for (int i = 0; i < decisions.length; i++) {
      tickets.get(i).decided(decisions[i]);
    }
  }

  private Decision decideOne(Ticket ticket, Limit limit, Cell[] cells, long now) {
    long cost = ticket.request().cost();
    Arithmetic<Cell> arithmetic = arithmetic(limit);
    long retry = arithmetic.earliest(cells[0], limit, cost, now) - now;
    if (retry == 0) {
      cells[0] = arithmetic.charge(cells[0], limit, cost, now, now, null);
    }
    return Decision.ofOne(
        plan.plan,
        key,
        cost,
        retry == 0,
        arithmetic.remaining(cells[0], limit, now),
        retry,
        Math.max(0, arithmetic.resetAt(cells[0], limit, now) - now),
        now);
  }

  private static Decision decide(Ticket ticket, List<Limit> limits, Cell[] cells, long now) {
    long cost = ticket.request().cost();
    long[] retries = new long[cells.length];
    boolean allowed = true;
    for (int i = 0; i < cells.length; i++) {
      retries[i] = arithmetic(limits.get(i)).earliest(cells[i], limits.get(i), cost, now) - now;
      allowed &= retries[i] == 0;
    }
    LimitDecision[] each = new LimitDecision[cells.length];
    for (int i = 0; i < cells.length; i++) {
      Limit limit = limits.get(i);
      Arithmetic<Cell> arithmetic = arithmetic(limit);
      if (allowed) {
        cells[i] = arithmetic.charge(cells[i], limit, cost, now, now, null);
      }
      each[i] =
          new LimitDecision(
              limit,
              retries[i] == 0,
              arithmetic.remaining(cells[i], limit, now),
              retries[i],
              Math.max(0, arithmetic.resetAt(cells[i], limit, now) - now));
    }
    return Decision.of(ticket.request(), allowed, each, 0, now, false);
  }

  private static Arithmetic<Cell> arithmetic(Limit limit) {
    return limit.algorithm() == Algorithm.TOKEN_BUCKET
        ? TokenBucket.INSTANCE
        : FixedWindow.INSTANCE;
  }
}
