package dev.sluice.memory;

import dev.sluice.Algorithm;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import java.util.function.ToIntFunction;

/**
 * The way of nearly every decision: one token bucket that refills smoothly, starts full and lends
 * nothing. It decides what {@link dev.sluice.algorithm.TokenBucket} would (QuickBucketProperties)
 * and leaves the unusual to {@link Deciding}: clocks that step back, debts, reservations.
 *
 * <p>It reads without the lock. A denial writes nothing, so it is done when nothing has changed
 * meanwhile; a charge takes the lock only if nothing has changed, writes, and leaves. Only who is
 * disturbed takes the lock first and starts again.
 *
 * <p>It is written for the compiler: each method must stay small enough (325 bytes of bytecode) to
 * be inlined into its caller, and there must be a single place where the answer is made, so that
 * the answer need not be allocated. Hence bare numbers instead of cells, the rate in fields of its
 * own, and rare things in methods of their own. bench/README shows what it brings.
 *
 * <p>The arithmetic: e microseconds after {@code t}, ⌊e·n/p⌋ of the {@code u} used tokens are back.
 * With t moved on by whole cycles of p and u down by as many times n, that stays the same.
 */
final class QuickBucket extends Prepared {
  private static final int MOST_TRIES = 3;
  // A bucket that fills in less would notice the slack; it asks for the exact time.
  private static final long LEAST_SLACKS = 50;

  private final Limit limit;
  private final int table;
  private final long capacity;
  private final long permits;
  private final long micros;
  // Beyond these, products would overflow: an idle time, and a debt.
  private final long longest;
  private final long most;

  /** How far behind the present the time may be that it is given. */
  final long slack;

  QuickBucket(Plan plan, long slack, ToIntFunction<Limit> tableOf) {
    super(plan, tableOf);
    this.limit = limits[0];
    this.table = tables[0];
    this.capacity = limit.capacity();
    this.permits = limit.cyclePermits();
    this.micros = limit.cycleMicros();
    this.longest = (Long.MAX_VALUE >> 1) / permits;
    this.most = 2 * capacity;
    this.slack = slack * LEAST_SLACKS <= limit.windowMicros() ? slack : 0;
  }

  static boolean isFor(Plan plan) {
    Limit limit = plan.limits().get(0);
    return plan.limits().size() == 1
        && limit.algorithm() == Algorithm.TOKEN_BUCKET
        && limit.refill() == Limit.Refill.SMOOTH
        && limit.initial() == limit.capacity()
        && !limit.borrows();
  }

  Decision decide(InMemoryStore store, Plan plan, String key, long cost, long now, int tries) {
    int hash = store.hash(key);
    Stripe stripe = store.stripeOf(hash);
    long stamp = stripe.glance();
    Slots slots = stripe.slots(table);
    int slot = slots == null ? Slots.NONE : slots.find(key, hash);
    return slots == null || slot == Slots.NONE
        ? rarely(store, plan, key, cost, now, tries)
        : decide(store, plan, key, cost, now, tries, stripe, stamp, slots, 2 * slot);
  }

  private Decision decide(
      InMemoryStore store,
      Plan plan,
      String key,
      long cost,
      long now,
      int tries,
      Stripe stripe,
      long stamp,
      Slots slots,
      int cell) {
    long[] cells = slots.cells();
    long t = cells[cell];
    long u = cells[cell + 1];
    long elapsed = Math.max(0, now - t);
    // Negative if one of them is.
    long usual = (now + slack - t) | (longest - elapsed) | (most - u);
    long cycles = elapsed < micros ? 0 : elapsed / micros;
    long used = u - (permits == 1 ? cycles : elapsed * permits / micros);
    if (used > 0) {
      t += cycles * micros;
      u -= cycles * permits;
    } else {
      t = now + slack;
      u = 0;
    }
    long left = capacity - cost - Math.max(0, used);
    if (left >= 0) {
      u += cost;
      if (usual < 0 || !stripe.enter(stamp)) {
        return rarely(store, plan, key, cost, now, tries);
      }
      cells[cell] = t;
      cells[cell + 1] = u;
      leave(store, stripe, slots, now);
    } else if (usual < 0 || !stands(stripe, stamp, slots, now)) {
      return rarely(store, plan, key, cost, now, tries);
    }
    return answer(plan, key, cost, now, t, u, left);
  }

  private Decision answer(Plan plan, String key, long cost, long now, long t, long u, long left) {
    boolean allowed = left >= 0;
    long since = now - t;
    long remaining = Math.max(0, allowed ? left : left + cost);
    long retryAfter = allowed ? 0 : microsFor(u + cost - capacity) - since;
    return Decision.ofOne(
        plan, key, cost, allowed, remaining, retryAfter, microsFor(u) - since, now);
  }

  /** Whether a denial holds: nothing is to be done, and nothing has changed since it was read. */
  private boolean stands(Stripe stripe, long stamp, Slots slots, long now) {
    return stripe.untilSweep(now) >= 0
        && !stripe.reserves()
        && slots.isUsing(limit)
        && stripe.isUnchanged(stamp);
  }

  private void leave(InMemoryStore store, Stripe stripe, Slots slots, long now) {
    if (stripe.due() || !slots.isUsing(limit)) {
      store.tend(stripe, this, now);
    } else {
      stripe.unlock();
    }
  }

  private long microsFor(long count) {
    return permits == 1
        ? count * micros
        : count / permits * micros + (count % permits * micros + permits - 1) / permits;
  }

  /**
   * Who does not know the key, or was disturbed, comes again after a turn with the lock. Who still
   * cannot decide leaves it to those who know everything.
   */
  private Decision rarely(
      InMemoryStore store, Plan plan, String key, long cost, long now, int tries) {
    return tries < MOST_TRIES && store.introduce(this, key, now)
        ? decide(store, plan, key, cost, store.now(this), tries + 1)
        : store.decide(this, Request.acquire(plan, key, cost));
  }
}
