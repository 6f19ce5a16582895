package dev.sluice.tier;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A number of permits that many threads use up without a lock.
 *
 * <p>Two cores that count down one number pass its cache line to and fro, which takes longer than
 * the rest of a decision. So, where there are plenty and one thread has overtaken another, each
 * takes from a till that it shares with few others, and fetches a handful from the stock when that
 * is empty. No permit is ever in two places. Those on their way to a till while all is taken are
 * lost, which tightens the limit by a handful.
 */
final class Permits {
  /** Instead of what is left, where there is not enough. */
  static final long TOO_FEW = -1;

  private static final int HANDFUL = 64;
  // Several for each core: of few, two threads that run at once would often share one.
  private static final int TILLS =
      Integer.highestOneBit(Math.min(16, Runtime.getRuntime().availableProcessors())) * 4;
  // What lies in the tills is then a small part of all.
  static final long PLENTY = 8L * TILLS * HANDFUL;
  // In longs: processors fetch lines of 64 bytes in pairs.
  private static final int APART = 16;
  private static final int STOCK = 0;
  // So far below zero that nothing put there later can be taken.
  private static final long CLOSED = Long.MIN_VALUE / 2;

  // The stock, and then the tills, if there are any.
  private final AtomicLongArray places;
  private volatile boolean crowded;

  Permits(long size) {
    this.places = new AtomicLongArray(size < PLENTY ? 1 : (1 + TILLS) * APART);
    places.set(STOCK, size);
  }

  /** Takes all of {@code cost} or nothing; what is left, as far as this thread knows. */
  long take(long cost) {
    int place = crowded ? till() : STOCK;
    long before = places.get(place);
    while (before >= cost) {
      if (places.compareAndSet(place, before, before - cost)) {
        return known(place, before - cost);
      }
      crowd();
      before = places.get(place);
    }
    return fetch(place, cost);
  }

  /** From now on threads take from their tills, if there are any. */
  void crowd() {
    crowded = places.length() > 1;
  }

  private static int till() {
    return (1 + ((int) Thread.currentThread().getId() & (TILLS - 1))) * APART;
  }

  /**
   * Takes from the stock, and what that lacks from any till. What is not used of a handful stays
   * here, so no till ever has a handful.
   */
  private long fetch(int place, long cost) {
    if (stock() < cost && left() < cost) {
      return TOO_FEW;
    }
    long taken = takeUpTo(Math.max(cost, HANDFUL), STOCK);
    for (int till = APART; taken < cost && till < places.length(); till += APART) {
      taken += takeUpTo(cost - taken, till);
    }
    if (taken < cost) {
      places.addAndGet(STOCK, taken);
      return TOO_FEW;
    }
    return known(place, Math.max(0, places.addAndGet(place, taken - cost)));
  }

  private long known(int place, long here) {
    return place == STOCK ? here : here + stock();
  }

  private long takeUpTo(long most, int place) {
    return some(
        places.getAndAccumulate(place, most, (there, some) -> there - some(there, some)), most);
  }

  private static long some(long there, long most) {
    return Math.max(0, Math.min(there, most));
  }

  /** Takes all there is, for good: what others put back later is lost. */
  long takeAll() {
    long taken = 0;
    for (int place = STOCK; place < places.length(); place += APART) {
      taken += Math.max(0, places.getAndSet(place, CLOSED));
    }
    return taken;
  }

  /** What lies in the stock: all there is, but for a few handfuls. */
  long stock() {
    return Math.max(0, places.get(STOCK));
  }

  long left() {
    long left = 0;
    for (int place = STOCK; place < places.length(); place += APART) {
      left += Math.max(0, places.get(place));
    }
    return left;
  }
}
