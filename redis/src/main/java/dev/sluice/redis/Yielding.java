package dev.sluice.redis;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Lets other threads run while an answer is on its way, for as long as that pays.
 *
 * <p>Where many callers wait for one server, most of a decision's price is putting its caller to
 * sleep and waking him. One who yields instead leaves the processor to those who have something to
 * do, the lanes and the server among them, and finds his answer when it is his turn again. Where
 * nobody else wants the processor he gives up soon, for a yield then takes next to no time. Where a
 * program that does not wait for anything wants it, a yield lasts for a whole slice of the
 * scheduler's time, while a sleeper would be woken at once.
 *
 * <p>So a balance is kept for all callers of a server: an answer that was found counts for it, one
 * that was not against it, and a yield that lasted too long far more. While it is in the red
 * everybody sleeps, for the longer the sooner it got there again. Safe for use by many threads;
 * updates that are lost in a race do not matter.
 */
final class Yielding {
  /** Some 50 microseconds where nobody else wants the processor. */
  static final int MOST_YIELDS = 100;

  /**
   * Linux lets a busy program run for 3 or 4 milliseconds, from 6.6 on and with few processors for
   * some 1.5; callers need a tenth of the former.
   */
  static final long TOO_LONG_NANOS = 1_000_000;

  // In decisions. Sleeping and being woken take some 7 microseconds more than yielding.
  static final int MOST_GAINED = 4_096;
  static final int PRICE_TOO_LONG = 1_024;
  static final int LEAST_DEBT = 256;
  static final int LARGEST_DEBT = 2_048;
  private static final int PRICE_IN_VAIN = 8;

  private final LongSupplier nanoTime;
  private final Runnable others;
  private final AtomicInteger balance = new AtomicInteger();
  private volatile long tooLongUntil;
  private volatile int debt = LEAST_DEBT;

  @SuppressWarnings("ThreadPriorityCheck") // whether it does any good is watched
  Yielding() {
    this(System::nanoTime, Thread::yield);
  }

  /** As above; for tests, with another clock and others who run. */
  Yielding(LongSupplier nanoTime, Runnable others) {
    this.nanoTime = nanoTime;
    this.others = others;
    this.tooLongUntil = nanoTime.getAsLong();
  }

  /** Yields until it is done, or that does not pay. */
  void until(BooleanSupplier done) {
    if (!pays()) {
      return;
    }
    for (int i = 0; i < MOST_YIELDS; i++) {
      if (done.getAsBoolean()) {
        found();
        return;
      }
      if (!yieldOnce()) {
        return;
      }
    }
    charge(PRICE_IN_VAIN);
  }

  /** Yields once, if that pays. */
  void once() {
    if (pays()) {
      boolean unused = yieldOnce();
    }
  }

  /** Whether it pays; each time that it does not, the debt is less. */
  private boolean pays() {
    return balance.get() >= 0 || balance.incrementAndGet() >= 0;
  }

  private void found() {
    if (balance.get() < MOST_GAINED && balance.incrementAndGet() == MOST_GAINED) {
      debt = LEAST_DEBT;
    }
  }

  /** False if it took too long. */
  private boolean yieldOnce() {
    long before = nanoTime.getAsLong();
    others.run();
    long after = nanoTime.getAsLong();
    if (after - before < TOO_LONG_NANOS) {
      return true;
    }
    if (before - tooLongUntil >= 0) {
      // Others who met the same busy program need not tell of it as well.
      tooLongUntil = after;
      charge(PRICE_TOO_LONG);
    }
    return false;
  }

  private void charge(int price) {
    if (balance.addAndGet(-price) < 0) {
      balance.set(-debt);
      debt = Math.min(2 * debt, LARGEST_DEBT);
    }
  }
}
