package dev.sluice.algorithm;

import java.util.Arrays;

/**
 * Hits in order of time, each with the running total of permits, so that the permits of any span
 * are one subtraction and the place of any total one binary search: nothing costs more for a long
 * log. Sixteen bytes a hit. Totals only grow; {@code base} is the total before the oldest hit.
 */
public final class HitLog {
  private static final int SMALLEST = 4;

  private long[] times = new long[SMALLEST];
  private long[] totals = new long[SMALLEST];
  private int head;
  private int size;
  private long base;
  // The clock at the last write: tells a clock that stepped back from a booking in the future.
  private long seen = Long.MIN_VALUE;

  /** How many hits are remembered, expired ones that were not dropped yet included. */
  public int size() {
    return size;
  }

  long time(int i) {
    return times[index(i)];
  }

  /** The total after hit {@code i}; before the oldest hit for −1. */
  long total(int i) {
    return i < 0 ? base : totals[index(i)];
  }

  long lastTime() {
    return size == 0 ? Long.MIN_VALUE : time(size - 1);
  }

  long total() {
    return total(size - 1);
  }

  long seen() {
    return seen;
  }

  void seen(long now) {
    seen = Math.max(seen, now);
  }

  /** How many hits are at or before {@code cutoff}. */
  int countUntil(long cutoff) {
    int low = 0;
    int high = size;
    // Mostly nothing or little has expired: gallop from the old end before searching.
    for (int step = 1; low + step <= size; step *= 2) {
      if (time(low + step - 1) > cutoff) {
        high = low + step - 1;
        break;
      }
      low += step;
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (time(middle) <= cutoff) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The oldest hit at which the total has reached {@code need}. */
  int firstReaching(long need) {
    int low = 0;
    int high = size - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (total(middle) >= need) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Adds a hit that is not older than the newest. */
  void append(long time, long cost) {
    long total = total() + cost;
    if (size > 0 && lastTime() == time) {
      totals[index(size - 1)] = total;
      return;
    }
    if (size == times.length) {
      resize(size * 2);
    }
    size++;
    times[index(size - 1)] = time;
    totals[index(size - 1)] = total;
  }

  /** Adds a hit before those that are later: bookings, of which there are few. */
  void insert(long time, long cost) {
    int earlier = countUntil(time);
    int later = size - earlier;
    long[] laterTimes = new long[later];
    long[] laterCosts = new long[later];
    for (int i = 0; i < later; i++) {
      laterTimes[i] = time(earlier + i);
      laterCosts[i] = total(earlier + i) - total(earlier + i - 1);
    }
    size = earlier;
    append(time, cost);
    for (int i = 0; i < later; i++) {
      append(laterTimes[i], laterCosts[i]);
    }
  }

  void dropFirst(int count) {
    if (count > 0) {
      base = total(count - 1);
      head = index(count);
      size -= count;
      if (size < times.length / 4 && times.length > SMALLEST) {
        resize(Math.max(SMALLEST, times.length / 2));
      }
    }
  }

  /** Takes up to {@code cost} out of hits from {@code oldest} until {@code time}, newest first. */
  void takeBackNewest(int oldest, long time, long cost) {
    takeBack(oldest, countUntil(time) - 1, cost);
  }

  /** Takes up to {@code cost} out of the hits at {@code time}, if they are still remembered. */
  void takeBackAt(int oldest, long time, long cost) {
    int hit = countUntil(time) - 1;
    if (hit >= oldest && time(hit) == time) {
      takeBack(hit, hit, cost);
    }
  }

  private void takeBack(int oldest, int newest, long cost) {
    long taken = Math.min(cost, total(newest) - total(oldest - 1));
    long most = total(newest) - taken;
    for (int i = newest + 1; i < size; i++) {
      totals[index(i)] -= taken;
    }
    for (int i = newest; i >= oldest && total(i) > most; i--) {
      totals[index(i)] = most;
    }
    while (size > oldest && total() == total(size - 2)) {
      size--;
    }
  }

  private int index(int i) {
    return (head + i) & (times.length - 1);
  }

  private void resize(int capacity) {
    long[] newTimes = new long[capacity];
    long[] newTotals = new long[capacity];
    for (int i = 0; i < size; i++) {
      newTimes[i] = time(i);
      newTotals[i] = total(i);
    }
    times = newTimes;
    totals = newTotals;
    head = 0;
  }

  @Override
  public String toString() {
    long[] live = new long[size];
    Arrays.setAll(live, this::time);
    return "hits at " + Arrays.toString(live) + ", " + (total() - base) + " permits";
  }
}
