package dev.sluice.server.metrics;

import io.micrometer.core.instrument.Clock;

/**
 * The time of day as meters need it, as of the last look at the clock. A timer asks for it twice
 * with each value that it is given, only to forget its greatest one after minutes: that need not
 * ask the system each time.
 */
public final class MeterClock implements Clock {
  private volatile long wallMillis = System.currentTimeMillis();
  private volatile long nanos = System.nanoTime();

  /** A clock that stands still until somebody looks. */
  public MeterClock() {}

  /** Reads the system's clock. */
  public void look() {
    wallMillis = System.currentTimeMillis();
    nanos = System.nanoTime();
  }

  /** {@link System#nanoTime} as of the last look. */
  public long lastNanos() {
    return nanos;
  }

  @Override
  public long wallTime() {
    return wallMillis;
  }

  @Override
  public long monotonicTime() {
    return System.nanoTime();
  }
}
