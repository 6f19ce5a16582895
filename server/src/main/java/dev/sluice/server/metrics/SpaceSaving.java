package dev.sluice.server.metrics;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.BiConsumer;

/**
 * The space-saving sketch of Metwally, Agrawal and El Abbadi (2005): counts the most frequent of an
 * endless stream in fixed space. Any item with more than 1/capacity of the stream is in it.
 *
 * <p>Counters only grow, so the queue may lag behind: a counter at its head that has grown since it
 * was queued is put back with its new count. That keeps counting a known item free of the queue.
 */
final class SpaceSaving<T> {
  /** What is known of one item. */
  static final class Counter {
    long count;
    long inherited;
    String note;
    private long queuedAt;

    Counter(long inherited, String note) {
      this.count = inherited + 1;
      this.inherited = inherited;
      this.note = note;
      this.queuedAt = count;
    }
  }

  private record Queued<T>(T item, Counter counter) {
    long queuedAt() {
      return counter.queuedAt;
    }
  }

  private final int capacity;
  private final Map<T, Counter> counters = new HashMap<>();
  private final PriorityQueue<Queued<T>> smallest =
      new PriorityQueue<>(Comparator.comparingLong(Queued::queuedAt));

  SpaceSaving(int capacity) {
    this.capacity = capacity;
  }

  /** Counts an item once, with a note that replaces its last. */
  void add(T item, String note) {
    Counter known = counters.get(item);
    if (known != null) {
      known.count++;
      known.note = note;
      return;
    }
    long inherited = counters.size() < capacity ? 0 : dropSmallest();
    Counter counter = new Counter(inherited, note);
    counters.put(item, counter);
    smallest.add(new Queued<>(item, counter));
  }

  private long dropSmallest() {
    while (true) {
      Queued<T> head = smallest.remove();
      if (head.counter.queuedAt == head.counter.count) {
        counters.remove(head.item);
        return head.counter.count;
      }
      head.counter.queuedAt = head.counter.count;
      smallest.add(head);
    }
  }

  void forEach(BiConsumer<T, Counter> use) {
    counters.forEach(use);
  }
}
