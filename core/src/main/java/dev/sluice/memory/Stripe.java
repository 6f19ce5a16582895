package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.algorithm.Arithmetic;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of the keys with the lock that guards it: a shelf for each limit, and reservations. */
final class Stripe extends SpinLock {
  private static final int SWEEP_EVERY = 256;
  private static final int SWEEP_SLOTS = 64;
  // Those who need no lock do not count their decisions: they look at the time.
  private static final long SWEEP_PAUSE = 50_000;
  private static final long SWEEP_FULL_PAUSE = 100;
  private static final long NOW = 0;

  final Reservations reservations = new Reservations();
  private final int index;
  private final List<Buckets> holding = new ArrayList<>();
  private @Nullable Shelf[] shelves = new @Nullable Shelf[0];
  boolean keepsAll;
  private long sweepAt;
  private long sweepFullAt;
  private long dueAt = NOW;
  private int operations;
  private int swept;

  Stripe(int index) {
    this.index = index;
  }

  /** Takes note of buckets that have to be put back before the lock is left. */
  void holds(Buckets buckets) {
    holding.add(buckets);
  }

  /** Gives up the lock, and with it whatever was worked on. */
  void leave() {
    for (Buckets buckets : holding) {
      buckets.putBack();
    }
    holding.clear();
    // While something is reserved it may have been given back, which only the lock's holder sees.
    long due = reservations.isEmpty() ? sweepAt : NOW;
    if (due != dueAt) {
      dueAt = due;
      for (Shelf shelf : shelves) {
        if (shelf instanceof Buckets buckets) {
          buckets.dueAt(due);
        }
      }
    }
    unlock();
  }

  Shelf shelf(Home home, Limit limit) {
    if (home.number >= shelves.length) {
      @Nullable Shelf[] larger = new @Nullable Shelf[Math.max(home.number + 1, 2 * shelves.length)];
      System.arraycopy(shelves, 0, larger, 0, shelves.length);
      shelves = larger;
    }
    Shelf shelf = shelves[home.number];
    if (shelf == null) {
      shelf =
          home.meter == null ? new Table(limit) : new Buckets(home.meter, this, home.slots, index);
      shelves[home.number] = shelf;
    }
    return shelf;
  }

  /** The shelf that has the key's state: a limit's own, or that of the rate it had before. */
  private Shelf holder(Home home, Shelf own, String key, int hash) {
    int[] relatives = home.relatives();
    if (relatives.length > 1 && !own.knows(key, hash)) {
      for (int number : relatives) {
        Shelf other = number < shelves.length ? shelves[number] : null;
        if (other != null && other.knows(key, hash)) {
          return other;
        }
      }
    }
    return own;
  }

  /** The shelf of a limit, to which the key's state has moved if another had it. */
  Shelf bring(Home home, Limit limit, String key, int hash, long now) {
    Shelf own = shelf(home, limit);
    Shelf holder = holder(home, own, key, hash);
    Object state = holder == own ? null : holder.load(key, hash, now);
    if (state != null) {
      holder.forget(key, hash);
      own.save(key, hash, state);
    }
    return own;
  }

  /** The state of a key in each limit of its plan, brought to {@code now}. */
  List<Seat<?>> seats(Prepared plan, String key, int hash, long now) {
    List<Seat<?>> seats = new ArrayList<>(plan.limits.length);
    for (int i = 0; i < plan.limits.length; i++) {
      Limit limit = plan.limits[i];
      Shelf shelf = shelf(plan.homes[i], limit);
      Shelf holder = holder(plan.homes[i], shelf, key, hash);
      seats.add(new Seat<>(shelf, holder, limit, Arithmetic.of(limit), key, hash, now));
    }
    return seats;
  }

  /** Whether every limit has a place for a key that none of them knows. */
  boolean accepts(Prepared plan, int hash) {
    for (int i = 0; i < plan.limits.length; i++) {
      if (!shelf(plan.homes[i], plan.limits[i]).accepts(hash)) {
        return false;
      }
    }
    return true;
  }

  boolean knows(Prepared plan, String key, int hash) {
    for (int i = 0; i < plan.limits.length; i++) {
      Shelf shelf = shelf(plan.homes[i], plan.limits[i]);
      if (holder(plan.homes[i], shelf, key, hash).knows(key, hash)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it is time to look at a few keys, so that idle ones go without a thread. */
  boolean due() {
    return (++operations & (SWEEP_EVERY - 1)) == 0;
  }

  /** When those who need no lock have to take it all the same. */
  long dueAt() {
    return dueAt;
  }

  /** Looks at a few keys if nobody has for a while; how many went. */
  int sweepIfDue(long now) {
    return sweepAt < now ? sweep(now) : 0;
  }

  /** Looks at a few keys; how many went. */
  int sweep(long now) {
    sweepAt = now + SWEEP_PAUSE;
    return keepsAll ? 0 : sweep(now, SWEEP_SLOTS);
  }

  /** The same where a new key needs room. Not for every one of a flood: that would be its price. */
  int sweepWhenFull(long now) {
    boolean rests = sweepFullAt > now && sweepFullAt - now <= SWEEP_FULL_PAUSE;
    sweepFullAt = rests ? sweepFullAt : now + SWEEP_FULL_PAUSE;
    return rests ? 0 : sweep(now, SWEEP_SLOTS);
  }

  private int sweep(long now, int slots) {
    reservations.sweep(now);
    if (shelves.length == 0) {
      return 0;
    }
    swept = (swept + 1) % shelves.length;
    Shelf shelf = shelves[swept];
    return shelf == null ? 0 : shelf.sweep(now, slots);
  }

  int sweepAll(long now) {
    int removed = 0;
    for (Shelf shelf : shelves) {
      removed += shelf == null ? 0 : shelf.sweep(now, Integer.MAX_VALUE);
    }
    return removed;
  }
}
