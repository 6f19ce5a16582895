package dev.sluice.memory;

import dev.sluice.Limit;
import org.jspecify.annotations.Nullable;

/**
 * The arrays of a {@link Table}. A table that grows replaces them together, so whoever reads
 * without the lock finds arrays that fit each other.
 */
final class Slots {
  static final int NONE = -1;

  private final int[] hashes;
  private final @Nullable String[] keys;
  private final long[] cells;
  private final Rules rules;

  Slots(int[] hashes, @Nullable String[] keys, long[] cells, Rules rules) {
    this.hashes = hashes;
    this.keys = keys;
    this.cells = cells;
    this.rules = rules;
  }

  /** The slot of a key, or {@link #NONE}. */
  @SuppressWarnings("ReferenceEquality") // mostly it is the same string; if not, it is compared
  int find(String key, int hash) {
    int slot = hash & (keys.length - 1);
    return keys[slot] == key ? slot : search(key, hash);
  }

  @SuppressWarnings("ReferenceEquality")
  private int search(String key, int hash) {
    int mask = keys.length - 1;
    int slot = hash & mask;
    // Ends at a free slot, of which there are many; but who reads without the lock may see none.
    for (int probes = 0; probes <= mask; probes++) {
      String found = keys[slot];
      if (found == null) {
        return NONE;
      }
      if (found == key || (hashes[slot] == hash && found.equals(key))) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return NONE;
  }

  /** Two longs a slot. */
  long[] cells() {
    return cells;
  }

  boolean isUsing(Limit limit) {
    return rules.isUsing(limit);
  }
}
