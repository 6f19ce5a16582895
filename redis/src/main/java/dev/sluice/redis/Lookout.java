package dev.sluice.redis;

import java.io.IOException;
import java.io.InputStream;

/**
 * Looks for a reply for a moment before its reader sleeps. To be woken takes a thread longer than a
 * server nearby takes to answer; on a virtual machine that has nothing else to do, ten times as
 * long. A server that is further away is left alone: after each look in vain so many calls sleep at
 * once, twice as many as before, that looking costs next to nothing.
 *
 * <p>One user at a time, as the {@link Wire} it belongs to.
 */
final class Lookout {
  /** A reply on the same machine takes 20 to 60 microseconds, one from the next rack 100. */
  static final long LONGEST_NANOS = 100_000;

  private static final int MOST_IN_VAIN = 10;

  private final boolean useless;
  private int inVain;
  private int pause;

  /** On one processor a server of the same machine could not answer meanwhile. */
  Lookout(int processors) {
    this.useless = processors == 1;
  }

  /** Returns when there is something to read, or nothing came in time. */
  void lookFor(InputStream replies) throws IOException {
    if (useless) {
      return;
    }
    if (pause > 0) {
      pause--;
      return;
    }
    long started = System.nanoTime();
    while (replies.available() == 0) {
      if (System.nanoTime() - started > LONGEST_NANOS) {
        inVain = Math.min(inVain + 1, MOST_IN_VAIN);
        pause = 1 << inVain;
        return;
      }
      Thread.onSpinWait();
    }
    inVain = 0;
  }
}
