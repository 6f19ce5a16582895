package dev.sluice.server.resp;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Lets other threads run, and looks for more to do, before an event loop sleeps.
 *
 * <p>Where clients and loops share few processors, putting a loop to sleep and waking it is a good
 * part of a command's price. One that yields instead gives way to those who have something to do,
 * most likely a client that reads its answers and asks again, and finds more to do at once when it
 * is its turn. Where nobody else wants the processor that takes next to no time. Where a program
 * that does not wait for anything wants it, a yield lasts for a slice of the scheduler's time,
 * while a sleeper would be woken at once. That happens now and then beside busy clients, too; so
 * yields are counted, a short one for it and a long one against it, and a loop that is in the red
 * goes to sleep at once for a while.
 *
 * <p>One for each event loop, and used by its thread alone.
 */
final class LastLook implements SelectStrategy {
  static final long TOO_LONG_NANOS = 1_000_000;

  // In short yields. Beside a client that is always busy one of 400 is too long, but several in a
  // row; beside a program that waits for nothing nearly all.
  static final int PRICE_TOO_LONG = 32;
  static final int MOST_SAVED = 1_024;
  // How often it goes to sleep at once.
  static final int REST = 2_048;

  private final LongSupplier nanoTime;
  private final Runnable others;
  private int balance;

  @SuppressWarnings("ThreadPriorityCheck") // whether it does any good is watched
  LastLook() {
    this(System::nanoTime, Thread::yield);
  }

  /** As above; for tests, with another clock and others who run. */
  LastLook(LongSupplier nanoTime, Runnable others) {
    this.nanoTime = nanoTime;
    this.others = others;
  }

  @Override
  public int calculateStrategy(IntSupplier ready, boolean hasTasks) throws Exception {
    if (hasTasks) {
      return ready.get();
    }
    if (balance < 0) {
      balance++;
      return SELECT;
    }
    letOthersRun();
    int found = ready.get();
    return found > 0 ? found : SELECT;
  }

  private void letOthersRun() {
    long before = nanoTime.getAsLong();
    others.run();
    if (nanoTime.getAsLong() - before < TOO_LONG_NANOS) {
      balance = Math.min(balance + 1, MOST_SAVED);
    } else {
      balance -= PRICE_TOO_LONG;
      balance = balance < 0 ? -REST : balance;
    }
  }
}
