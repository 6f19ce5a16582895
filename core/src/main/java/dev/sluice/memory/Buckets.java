package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.algorithm.Cell;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Token buckets of one rate, sixteen bytes a slot: an open-addressed table with linear probing, at
 * most three quarters full. {@link QuickBucket} reads and charges them without the lock; so what is
 * worked on under the lock is taken out until the lock is left ({@link #putBack}), and a key's slot
 * is given to no other key before all of them move to new arrays.
 */
final class Buckets implements Shelf {
  private static final int SMALLEST = 8;
  // The clock does not step back, but threads have read it at slightly different times.
  private static final long GRACE = 1_000_000;

  private final Meter meter;
  private final Stripe stripe;
  private final Slots[] published;
  private final int index;
  private final List<Taken> taken = new ArrayList<>();
  // Buckets that owe more than their number tells. It denies everybody, so only the lock's holder
  // changes them.
  private final Map<String, Cell> deep = new HashMap<>();
  private Slots slots;
  private int filled;
  private int live;
  private boolean overflows;
  private int cursor;

  /** A bucket that is worked on. */
  private static final class Taken {
    final String key;
    final int hash;
    long fullAt;

    Taken(String key, int hash, long fullAt) {
      this.key = key;
      this.hash = hash;
      this.fullAt = fullAt;
    }
  }

  /**
   * @param published where those who charge without the lock look for the slots
   * @param index of this stripe's there
   */
  Buckets(Meter meter, Stripe stripe, Slots[] published, int index) {
    this.meter = meter;
    this.stripe = stripe;
    this.published = published;
    this.index = index;
    this.slots = new Slots(SMALLEST, stripe.dueAt());
    published[index] = slots;
  }

  @Override
  public int size() {
    return overflows ? live - 1 : live;
  }

  @Override
  public boolean knows(String key, int hash) {
    int slot = slots.find(key, hash);
    return slot != Slots.NONE && fullAt(slot, key) != 0;
  }

  private long fullAt(int slot, String key) {
    Taken held = taken(key);
    return held == null ? slots.fullAt(slot) : held.fullAt;
  }

  private @Nullable Taken taken(String key) {
    for (Taken held : taken) {
      if (held.key.equals(key)) {
        return held;
      }
    }
    return null;
  }

  /** Takes a key's bucket out; null if the key has no slot. */
  private @Nullable Taken take(String key, int hash) {
    Taken held = taken(key);
    if (held == null) {
      int slot = slots.find(key, hash);
      if (slot != Slots.NONE) {
        held = take(key, hash, slots.take(slot));
      }
    }
    return held;
  }

  private Taken take(String key, int hash, long fullAt) {
    if (taken.isEmpty()) {
      stripe.holds(this);
    }
    Taken held = new Taken(key, hash, fullAt);
    taken.add(held);
    return held;
  }

  /** Makes what was worked on under the lock known to those who charge without it. */
  void putBack() {
    for (Taken held : taken) {
      slots.put(slots.find(held.key, held.hash), held.fullAt);
    }
    taken.clear();
  }

  @Override
  public @Nullable Object load(String key, int hash, long now) {
    Taken held = take(key, hash);
    if (held == null || held.fullAt == 0) {
      return null;
    }
    Cell owing = deep.get(key);
    return owing == null ? meter.cell(held.fullAt, now) : owing;
  }

  @Override
  public void save(String key, int hash, Object state) {
    Cell cell = (Cell) state;
    if (meter.tells(cell)) {
      deep.remove(key);
    } else {
      deep.put(key, cell);
    }
    set(key, hash, meter.fullAt(cell));
  }

  /** Gives a new key a bucket that is full, also to those whose clock ticks and is behind. */
  void add(String key, int hash, long now) {
    set(key, hash, Math.max(1, meter.units(now - TickingClock.SLACK_MICROS)));
  }

  private void set(String key, int hash, long fullAt) {
    Taken held = take(key, hash);
    if (held == null) {
      makeRoom();
      slots.add(key, hash, 0);
      filled++;
      held = take(key, hash, 0);
    }
    if (held.fullAt == 0) {
      live++;
      overflows |= key.isEmpty();
    }
    held.fullAt = fullAt;
  }

  @Override
  public void forget(String key, int hash) {
    Taken held = take(key, hash);
    if (held != null && held.fullAt != 0) {
      held.fullAt = 0;
      gone(key);
    }
  }

  private void gone(@Nullable String key) {
    live--;
    deep.remove(key);
    overflows &= !InMemoryStore.OVERFLOW.equals(key);
  }

  @Override
  public boolean accepts(int hash) {
    int mask = slots.keys.length - 1;
    for (int probes = 0; probes < Table.LONGEST_PROBE; probes++) {
      if (slots.keys[(hash + probes) & mask] == null) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void use(Limit limit, long now) {}

  @Override
  public int sweep(long now, int looks) {
    int before = size();
    long forgotten = meter.units(now - GRACE);
    int most = Math.min(looks, slots.keys.length);
    for (int i = 0; i < most; i++) {
      cursor = (cursor + 1) & (slots.keys.length - 1);
      long fullAt = slots.fullAt(cursor);
      if (fullAt != 0 && fullAt <= forgotten && slots.charge(cursor, fullAt, 0)) {
        gone(slots.keys[cursor]);
      }
    }
    if (filled - live > live + SMALLEST) {
      move();
    }
    return before - size();
  }

  void dueAt(long instant) {
    slots.dueAt(instant);
  }

  private void makeRoom() {
    if (4 * (filled + 1) > 3 * slots.keys.length) {
      move();
    }
  }

  /** Moves the keys that have buckets to new arrays with room for about as many. */
  private void move() {
    int capacity = SMALLEST;
    while (capacity < 2 * (live + taken.size() + 1)) {
      capacity *= 2;
    }
    Slots old = slots;
    Slots larger = new Slots(capacity, stripe.dueAt());
    for (int i = 0; i < old.keys.length; i++) {
      String key = old.keys[i];
      long fullAt = key == null ? 0 : old.take(i);
      if (key != null && fullAt != 0) {
        larger.add(key, old.hashes[i], fullAt);
      }
    }
    for (Taken held : taken) {
      larger.add(held.key, held.hash, 0);
    }
    filled = live + (int) taken.stream().filter(held -> held.fullAt == 0).count();
    cursor = 0;
    slots = larger;
    VarHandle.releaseFence();
    published[index] = larger;
  }
}
