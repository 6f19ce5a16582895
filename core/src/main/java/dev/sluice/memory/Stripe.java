package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.algorithm.Arithmetic;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of the keys with the lock that guards it: a table for each limit, and reservations. */
final class Stripe extends SpinLock {
  // A quarter of a slot a decision: a table is looked through once while it decides a few times
  // over. So seldom that the compiler leaves it out of the decision (QuickBucket).
  private static final int SWEEP_EVERY = 256;
  private static final int SWEEP_SLOTS = 64;
  // Denials do not count: where there is nothing else, the time is looked at.
  private static final long SWEEP_PAUSE = 1_000;

  private @Nullable Table[] tables = new @Nullable Table[0];
  final Reservations reservations = new Reservations();
  boolean keepsAll;
  private long sweepAt;
  private int operations;
  private int swept;

  Table table(int id, Limit limit) {
    if (id >= tables.length) {
      @Nullable Table[] larger = new @Nullable Table[Math.max(id + 1, 2 * tables.length)];
      System.arraycopy(tables, 0, larger, 0, tables.length);
      tables = larger;
    }
    Table table = tables[id];
    if (table == null) {
      table = new Table(limit);
      tables[id] = table;
    }
    return table;
  }

  /**
   * The keys of a limit, for reading without the lock; null where there are none, or where they are
   * so new that this thread does not see them yet.
   */
  @Nullable Slots slots(int id) {
    @Nullable Table[] seen = tables;
    Table table = id < seen.length ? seen[id] : null;
    return table == null ? null : table.slots();
  }

  boolean reserves() {
    return !reservations.isEmpty();
  }

  /** The state of a key in each limit of its plan, brought to {@code now}. */
  List<Seat<?>> seats(Prepared plan, String key, int hash, long now) {
    List<Seat<?>> seats = new ArrayList<>(plan.limits.length);
    for (int i = 0; i < plan.limits.length; i++) {
      Limit limit = plan.limits[i];
      Table table = table(plan.tables[i], limit);
      seats.add(new Seat<>(table, limit, Arithmetic.of(limit), key, hash, now));
    }
    return seats;
  }

  /** Whether every limit has a place for a key that none of them knows. */
  boolean accepts(Prepared plan, int hash) {
    for (int i = 0; i < plan.limits.length; i++) {
      if (!table(plan.tables[i], plan.limits[i]).accepts(hash)) {
        return false;
      }
    }
    return true;
  }

  boolean knows(Prepared plan, String key, int hash) {
    for (int i = 0; i < plan.limits.length; i++) {
      if (table(plan.tables[i], plan.limits[i]).find(key, hash) != Table.NONE) {
        return true;
      }
    }
    return false;
  }

  /** Whether it is time to look at a few keys, so that idle ones go without a thread. */
  boolean due() {
    return (++operations & (SWEEP_EVERY - 1)) == 0;
  }

  /** How long until even a denial should see to it that somebody looks at a few keys. */
  long untilSweep(long now) {
    return sweepAt - now;
  }

  /** Looks at a few keys; how many went. */
  int sweep(long now) {
    sweepAt = now + SWEEP_PAUSE;
    return keepsAll ? 0 : sweep(now, SWEEP_SLOTS);
  }

  int sweep(long now, int slots) {
    reservations.sweep(now);
    if (tables.length == 0) {
      return 0;
    }
    swept = (swept + 1) % tables.length;
    Table table = tables[swept];
    return table == null ? 0 : table.sweep(now, slots);
  }

  int sweepAll(long now) {
    int removed = 0;
    for (Table table : tables) {
      removed += table == null ? 0 : table.sweep(now, Integer.MAX_VALUE);
    }
    return removed;
  }
}
