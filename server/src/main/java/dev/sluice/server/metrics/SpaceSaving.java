package dev.sluice.server.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The space-saving sketch of Metwally, Agrawal and El Abbadi (2005): counts the most frequent of an
 * endless stream in fixed space. A new item takes the place of the least frequent one and inherits
 * its count, so a count is never too low.
 *
 * <p>Items fall into groups by their hash, and each group is a sketch of its own: threads hardly
 * ever meet at its lock, and a new item looks at few counts for the smallest. Any item with more
 * than a sixteenth of what falls into its group is in it.
 */
final class SpaceSaving<T> {
  private static final int PLACES = 16;
  private static final int GROUP_BITS = 7;

  /** How many items are followed at most. */
  static final int FOLLOWED = PLACES << GROUP_BITS;

  /**
   * What is known of one item.
   *
   * @param count how often it came
   * @param inherited how much of that others may have been
   * @param note what came with it last
   */
  record Counter<T>(T item, long count, long inherited, String note) {}

  private final List<Group<T>> groups =
      Stream.generate(Group<T>::new).limit(1 << GROUP_BITS).toList();

  /** Counts an item once, with a note that replaces its last. */
  void add(T item, String note) {
    int hash = item.hashCode() * 0x9E3779B9;
    groups.get(hash >>> (Integer.SIZE - GROUP_BITS)).add(item, hash, note);
  }

  void forEach(Consumer<Counter<T>> use) {
    groups.forEach(group -> group.forEach(use));
  }

  private static final class Group<T> {
    // Apart from the items, so that looking for one reads two or three lines of memory.
    private final int[] hashes = new int[PLACES];
    private final long[] counts = new long[PLACES];
    private final long[] inherited = new long[PLACES];
    private final List<T> items = new ArrayList<>(PLACES);
    private final List<String> notes = new ArrayList<>(PLACES);

    synchronized void add(T item, int hash, String note) {
      int place = find(item, hash);
      if (place == PLACES) {
        place = smallest();
        items.set(place, item);
        notes.set(place, note);
        inherited[place] = counts[place];
      } else if (place == items.size()) {
        items.add(item);
        notes.add(note);
      } else if (!notes.get(place).equals(note)) {
        notes.set(place, note);
      }
      hashes[place] = hash;
      counts[place]++;
    }

    /** Where an item is; behind all others if it is new. */
    private int find(T item, int hash) {
      int place = 0;
      while (place < items.size() && (hashes[place] != hash || !items.get(place).equals(item))) {
        place++;
      }
      return place;
    }

    private int smallest() {
      int smallest = 0;
      for (int i = 1; i < PLACES; i++) {
        smallest = counts[i] < counts[smallest] ? i : smallest;
      }
      return smallest;
    }

    synchronized void forEach(Consumer<Counter<T>> use) {
      for (int i = 0; i < items.size(); i++) {
        use.accept(new Counter<>(items.get(i), counts[i], inherited[i], notes.get(i)));
      }
    }
  }
}
