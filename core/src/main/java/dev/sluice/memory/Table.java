package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.algorithm.Cell;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one limit in one stripe: an open-addressed table in flat arrays. Buckets and fixed
 * windows lie in the table itself, two longs a key; logs and leases are objects beside it.
 *
 * <p>Linear probing, at most three quarters full, backward shift on removal. A new key must find a
 * place within {@link #LONGEST_PROBE} slots: keys chosen to collide cost a bounded time, and then
 * share the overflow key (see {@link InMemoryStore}).
 */
final class Table implements Shelf {
  private static final int NONE = -1;
  static final int LONGEST_PROBE = 512;
  private static final int SMALLEST = 8;

  private final boolean flat;
  private final Rules rules;
  private int[] hashes = new int[SMALLEST];
  private @Nullable String[] keys = new @Nullable String[SMALLEST];
  private long[] cells;
  private @Nullable Object[] states;
  private int size;
  private boolean overflows;
  private int cursor;

  Table(Limit limit) {
    this.rules = new Rules(limit);
    this.flat =
        switch (limit.algorithm()) {
          case TOKEN_BUCKET, FIXED_WINDOW, LEAKY_BUCKET -> true;
          case SLIDING_LOG, SLIDING_WINDOW, CONCURRENCY -> false;
        };
    this.cells = new long[flat ? 2 * SMALLEST : 0];
    this.states = new @Nullable Object[flat ? 0 : SMALLEST];
  }

  @Override
  public int size() {
    return overflows ? size - 1 : size;
  }

  @Override
  public void use(Limit limit, long now) {
    rules.use(limit, now);
  }

  @Override
  public boolean knows(String key, int hash) {
    return find(key, hash) != NONE;
  }

  private int find(String key, int hash) {
    int mask = keys.length - 1;
    for (int slot = hash & mask; ; slot = (slot + 1) & mask) {
      String found = keys[slot];
      if (found == null) {
        return NONE;
      }
      if (hashes[slot] == hash && found.equals(key)) {
        return slot;
      }
    }
  }

  @Override
  public boolean accepts(int hash) {
    int mask = keys.length - 1;
    int slot = hash & mask;
    for (int probes = 0; probes < LONGEST_PROBE; probes++) {
      if (keys[slot] == null) {
        return true;
      }
      slot = (slot + 1) & mask;
    }
    return false;
  }

  private int insert(String key, int hash) {
    if (4 * size >= 3 * keys.length) {
      resize(2 * keys.length);
    }
    int mask = keys.length - 1;
    int slot = hash & mask;
    while (keys[slot] != null) {
      slot = (slot + 1) & mask;
    }
    keys[slot] = key;
    hashes[slot] = hash;
    size++;
    overflows |= key.isEmpty();
    return slot;
  }

  @Override
  public @Nullable Object load(String key, int hash, long now) {
    int slot = find(key, hash);
    return slot == NONE ? null : load(slot);
  }

  private Object load(int slot) {
    if (flat) {
      return new Cell(cells[2 * slot], cells[2 * slot + 1]);
    }
    Object state = states[slot];
    if (state == null) {
      throw new IllegalStateException("slot " + slot + " has a key and no state");
    }
    return state;
  }

  @Override
  public void save(String key, int hash, Object state) {
    int found = find(key, hash);
    int slot = found == NONE ? insert(key, hash) : found;
    if (state instanceof Cell cell) {
      cell(slot, cell.t(), cell.u());
    } else {
      states[slot] = state;
    }
  }

  private void cell(int slot, long t, long u) {
    cells[2 * slot] = t;
    cells[2 * slot + 1] = u;
  }

  @Override
  public void forget(String key, int hash) {
    int slot = find(key, hash);
    if (slot != NONE) {
      remove(slot);
    }
  }

  private void remove(int slot) {
    overflows &= !InMemoryStore.OVERFLOW.equals(keys[slot]);
    int mask = keys.length - 1;
    int hole = slot;
    for (int next = (hole + 1) & mask; keys[next] != null; next = (next + 1) & mask) {
      // A key may fill the hole unless its own place lies behind it.
      if (((next - hashes[next]) & mask) >= ((next - hole) & mask)) {
        move(next, hole);
        hole = next;
      }
    }
    keys[hole] = null;
    if (!flat) {
      states[hole] = null;
    }
    size--;
  }

  @Override
  public int sweep(long now, int slots) {
    int before = size();
    // Twice around is enough for all: each look goes a slot on or removes a key.
    int looks = Math.min(slots, 2 * keys.length);
    for (int i = 0; i < looks && size > 0; i++) {
      if (keys[cursor] != null && rules.forgets(load(cursor), now)) {
        // Another key may have moved here: the next look is at the same slot.
        remove(cursor);
      } else if (++cursor == keys.length) {
        cursor = 0;
      }
    }
    if (size == 0) {
      rules.nobodyIsLeft();
    }
    if (keys.length > SMALLEST && 16 * size < keys.length) {
      resize(Math.max(SMALLEST, keys.length / 4));
    }
    return before - size();
  }

  private void move(int from, int to) {
    keys[to] = keys[from];
    hashes[to] = hashes[from];
    if (flat) {
      cell(to, cells[2 * from], cells[2 * from + 1]);
    } else {
      states[to] = states[from];
    }
  }

  private void resize(int capacity) {
    cursor = 0;
    int[] oldHashes = hashes;
    @Nullable String[] oldKeys = keys;
    long[] oldCells = cells;
    @Nullable Object[] oldStates = states;
    hashes = new int[capacity];
    keys = new @Nullable String[capacity];
    cells = new long[flat ? 2 * capacity : 0];
    states = new @Nullable Object[flat ? 0 : capacity];
    int mask = capacity - 1;
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] == null) {
        continue;
      }
      int slot = oldHashes[i] & mask;
      while (keys[slot] != null) {
        slot = (slot + 1) & mask;
      }
      keys[slot] = oldKeys[i];
      hashes[slot] = oldHashes[i];
      if (flat) {
        cell(slot, oldCells[2 * i], oldCells[2 * i + 1]);
      } else {
        states[slot] = oldStates[i];
      }
    }
  }
}
