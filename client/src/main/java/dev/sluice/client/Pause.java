package dev.sluice.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** How long a provider asks to stay away; the longest of what it asked for. */
final class Pause {
  // By System.nanoTime.
  private final AtomicLong until = new AtomicLong(System.nanoTime());

  void atLeast(Duration asked) {
    long end = System.nanoTime() + asked.toNanos();
    until.accumulateAndGet(end, (a, b) -> a - b > 0 ? a : b);
  }

  long leftNanos() {
    return Math.max(0, until.get() - System.nanoTime());
  }
}
