package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.algorithm.Arithmetic;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A part of the keys with the lock that guards it: a table for each limit, and reservations. */
final class Stripe extends SpinLock {
  // A quarter of a slot a decision: a table is looked through once while it decides a few times
  // over.
  private static final int SWEEP_EVERY = 64;
  private static final int SWEEP_SLOTS = 16;

  /** A charge that can still be settled or cancelled. */
  static final class Reservation {
    final String policy;
    final String key;
    final long cost;
    final long at;
    final long expires;
    final long forgetAt;
    boolean settled;

    Reservation(Prepared plan, String key, long cost, long at, long expires) {
      this.policy = plan.policy;
      this.key = key;
      this.cost = cost;
      this.at = at;
      this.expires = expires;
      this.forgetAt = expires + plan.memoryMicros;
    }

    boolean isOf(Prepared plan, String key) {
      return policy.equals(plan.policy) && this.key.equals(key);
    }
  }

  Table[] tables = new Table[0];
  final Map<String, Reservation> reservations = new HashMap<>();
  private int operations;
  private int swept;

  /** Makes room for one more limit; the caller holds the lock. */
  void add(Limit limit) {
    tables = Arrays.copyOf(tables, tables.length + 1);
    tables[tables.length - 1] = new Table(limit);
  }

  Table table(int id, Limit limit) {
    Table table = tables[id];
    table.limit = limit;
    return table;
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
  boolean isDue() {
    return ++operations >= SWEEP_EVERY;
  }

  /** Looks at a few keys; how many went. */
  int tick(long now) {
    operations = 0;
    return sweep(now, SWEEP_SLOTS);
  }

  int sweep(long now, int slots) {
    if (!reservations.isEmpty()) {
      dropSettled(now);
    }
    swept = (swept + 1) % tables.length;
    return tables[swept].sweep(now, slots);
  }

  int sweepAll(long now) {
    int removed = 0;
    for (Table table : tables) {
      removed += table.sweep(now, Integer.MAX_VALUE >>> 1);
    }
    return removed;
  }

  /** Reservations whose charge is long gone by itself. */
  private void dropSettled(long now) {
    reservations.values().removeIf(reservation -> reservation.forgetAt < now);
  }
}
