package dev.sluice.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Charges of one stripe that can still be settled or cancelled. Ordered by when they end, so that a
 * request looks at those only that have ended, however many there are.
 */
final class Reservations {
  /** A charge that can still be settled or cancelled. */
  static final class Reservation {
    final String id;
    final long cost;
    final long at;
    private final long[] comesBackBy;

    /** What it cost in the end, once that is known. */
    @Nullable Long actual;

    private final Owner owner;
    final long expires;
    private final long forgetAt;

    Reservation(
        Prepared plan,
        String key,
        String id,
        long cost,
        long at,
        long expires,
        long[] comesBackBy) {
      this.comesBackBy = comesBackBy;
      this.owner = new Owner(plan.policy, key);
      this.id = id;
      this.cost = cost;
      this.at = at;
      this.expires = expires;
      this.forgetAt = Math.max(at, expires) + plan.memoryMicros;
    }

    /** By when the charge of a limit has come back; the policy may have had fewer limits then. */
    long comesBackBy(int limit) {
      return limit < comesBackBy.length ? comesBackBy[limit] : Long.MAX_VALUE;
    }
  }

  private record Owner(String policy, String key) {}

  /** What one key has reserved. */
  private static final class Owned {
    final Map<String, Reservation> byId = new HashMap<>();
    final PriorityQueue<Reservation> byEnd = new PriorityQueue<>(Reservations::inOrderOfEnd);
  }

  private final Map<Owner, Owned> owners = new HashMap<>();
  private final PriorityQueue<Reservation> all =
      new PriorityQueue<>((a, b) -> Long.compare(a.forgetAt, b.forgetAt));

  /** Those that end together in the order of their names, so that every store gives back alike. */
  private static int inOrderOfEnd(Reservation a, Reservation b) {
    int order = Long.compare(a.expires, b.expires);
    return order == 0 ? a.id.compareTo(b.id) : order;
  }

  boolean isEmpty() {
    return owners.isEmpty();
  }

  void add(Reservation reservation) {
    Owned owned = owners.computeIfAbsent(reservation.owner, absent -> new Owned());
    owned.byId.put(reservation.id, reservation);
    owned.byEnd.add(reservation);
    all.add(reservation);
  }

  @Nullable Reservation find(Prepared plan, String key, String id) {
    Owned owned = owners.get(new Owner(plan.policy, key));
    return owned == null ? null : owned.byId.get(id);
  }

  /** Removes what the key reserved until now, and answers with what nobody settled. */
  List<Reservation> takeExpired(Prepared plan, String key, long now) {
    Owner owner = new Owner(plan.policy, key);
    Owned owned = owners.get(owner);
    List<Reservation> expired = new ArrayList<>();
    if (owned != null) {
      while (!owned.byEnd.isEmpty() && owned.byEnd.element().expires <= now) {
        Reservation ended = owned.byEnd.remove();
        owned.byId.remove(ended.id);
        if (ended.actual == null) {
          expired.add(ended);
        }
      }
      if (owned.byId.isEmpty()) {
        owners.remove(owner);
      }
    }
    return expired;
  }

  void forget(Prepared plan, String key) {
    owners.remove(new Owner(plan.policy, key));
  }

  /** Drops reservations of idle keys: nothing of their charges is left that could be given back. */
  void sweep(long now) {
    while (!all.isEmpty() && all.element().forgetAt <= now) {
      Reservation gone = all.remove();
      Owned owned = owners.get(gone.owner);
      // Mostly it is known no more: its key was asked for after it had ended.
      if (owned != null && owned.byId.remove(gone.id, gone)) {
        owned.byEnd.remove(gone);
        if (owned.byId.isEmpty()) {
          owners.remove(gone.owner);
        }
      }
    }
  }
}
