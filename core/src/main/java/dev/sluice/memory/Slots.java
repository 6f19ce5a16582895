package dev.sluice.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Keys and the one number that each of their buckets is: what is read and charged without a lock.
 *
 * <p>A slot belongs to the first key that is put there, for as long as these arrays are in use;
 * hence who has found a key's slot can charge it by compare-and-set and never charges another.
 * Under the stripe's lock, and only there, a number becomes 0: while somebody works on the key,
 * when it is forgotten, and when the keys move to other arrays. Who finds 0 asks again under the
 * lock.
 */
final class Slots {
  static final int NONE = -1;
  static final long NOBODY = 0;
  static final int OFTEN = 3;

  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  final int[] hashes;
  final @Nullable String[] keys;
  final long[] cells;
  private volatile long dueAt;
  // Who came by last when something was due, and how often in a row. Racy, and only a guess.
  private @Nullable String cameBy;
  private int inARow;

  /**
   * @param dueAt see {@link #dueAt}
   */
  Slots(int capacity, long dueAt) {
    this.dueAt = dueAt;
    this.hashes = new int[capacity];
    this.keys = new @Nullable String[capacity];
    this.cells = new long[capacity];
  }

  /** The slot of a key that is kept as this very string, or {@link #NONE}. */
  @SuppressWarnings("ReferenceEquality") // for equal ones there is find
  int findSame(String key, int hash) {
    int mask = keys.length - 1;
    int slot = hash & mask;
    for (String found = keys[slot]; found != key; found = keys[slot]) {
      if (found == null) {
        return NONE;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** The slot of a key, or {@link #NONE}. */
  int find(String key, int hash) {
    int mask = keys.length - 1;
    int slot = hash & mask;
    for (String found = keys[slot]; found != null; found = keys[slot]) {
      if (hashes[slot] == hash && found.equals(key)) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return NONE;
  }

  /** Gives the next free slot to a key that has none. The caller sees to it that there is one. */
  int add(String key, int hash, long fullAt) {
    int mask = keys.length - 1;
    int slot = hash & mask;
    while (keys[slot] != null) {
      slot = (slot + 1) & mask;
    }
    hashes[slot] = hash;
    cells[slot] = fullAt;
    // Whoever sees the key sees its hash and its number, or asks under the lock.
    VarHandle.releaseFence();
    keys[slot] = key;
    return slot;
  }

  long fullAt(int slot) {
    return fullAt(cells, slot);
  }

  /** For those who have the cells at hand already. */
  static long fullAt(long[] cells, int slot) {
    return (long) CELL.getOpaque(cells, slot);
  }

  /** Charges a bucket, unless somebody else was quicker. */
  boolean charge(int slot, long before, long after) {
    return charge(cells, slot, before, after);
  }

  static boolean charge(long[] cells, int slot, long before, long after) {
    return CELL.compareAndSet(cells, slot, before, after);
  }

  /** Takes the number out, so that nobody else charges it. */
  long take(int slot) {
    return (long) CELL.getAndSet(cells, slot, 0L);
  }

  void put(int slot, long fullAt) {
    CELL.setRelease(cells, slot, fullAt);
  }

  /**
   * Takes note of who came by when something was due; whether it was the same one several times in
   * a row. Then most who come are that one: among many keys it would be a rare chance.
   */
  @SuppressWarnings("ReferenceEquality") // an equal one is not found by the short way either
  boolean comesByAgainAndAgain(String key) {
    inARow = key == cameBy ? inARow + 1 : 1;
    cameBy = key;
    return inARow >= OFTEN;
  }

  /** How long until those who need no lock have to take it all the same. */
  long untilDue(long now) {
    return dueAt - now;
  }

  void dueAt(long instant) {
    dueAt = instant;
  }
}
