package dev.sluice.testkit;

import dev.sluice.MicroClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves only when a test moves it, forwards or back. */
public final class FakeClock implements MicroClock {
  private static final long NEW_YEAR_2026 = 1_767_225_600_000_000L;

  private final AtomicLong micros;
  private final boolean steady;

  /** A clock that stands at 2026-01-01T00:00Z. */
  public FakeClock() {
    this(NEW_YEAR_2026);
  }

  /** A clock that stands at {@code micros} since the epoch. */
  public FakeClock(long micros) {
    this(micros, false);
  }

  private FakeClock(long micros, boolean steady) {
    this.micros = new AtomicLong(micros);
    this.steady = steady;
  }

  /** A clock that stands at 2026-01-01T00:00Z, promises never to go back, and is not moved so. */
  public static FakeClock steady() {
    return new FakeClock(NEW_YEAR_2026, true);
  }

  @Override
  public boolean isSteady() {
    return steady;
  }

  @Override
  public long nowMicros() {
    return micros.get();
  }

  /** Moves the clock; back if negative. */
  public void advanceMicros(long by) {
    if (steady && by < 0) {
      throw new IllegalArgumentException("a steady clock does not go back, got " + by);
    }
    micros.addAndGet(by);
  }

  /** Moves the clock; back if negative. */
  public void advance(Duration by) {
    advanceMicros(by.toNanos() / 1_000);
  }

  /** Puts the clock at an instant. */
  public void set(long newMicros) {
    micros.set(newMicros);
  }
}
