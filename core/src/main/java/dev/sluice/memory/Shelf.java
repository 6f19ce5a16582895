package dev.sluice.memory;

import dev.sluice.Limit;
import org.jspecify.annotations.Nullable;

/** The states of the keys of one limit in one stripe. To be used under the stripe's lock. */
interface Shelf {
  /** How many keys of callers are here: the one that new keys share is not counted. */
  int size();

  boolean knows(String key, int hash);

  /** The state of a key, or null if there is none. */
  @Nullable Object load(String key, int hash, long now);

  void save(String key, int hash, Object state);

  void forget(String key, int hash);

  /** Whether a new key finds a place near where its hash says. */
  boolean accepts(int hash);

  /** Says that keys are decided under this limit now. */
  void use(Limit limit, long now);

  /**
   * Looks at the next {@code slots} slots and removes keys as if never seen; how many it removed.
   */
  int sweep(long now, int slots);
}
