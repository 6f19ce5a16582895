package dev.sluice.testkit;

import dev.sluice.MicroClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves only when a test moves it, forwards or back. */
public final class FakeClock implements MicroClock {
  private final AtomicLong micros;

  /** A clock that stands at 2026-01-01T00:00Z. */
  public FakeClock() {
    this(1_767_225_600_000_000L);
  }

  /** A clock that stands at {@code micros} since the epoch. */
  public FakeClock(long micros) {
    this.micros = new AtomicLong(micros);
  }

  @Override
  public long nowMicros() {
    return micros.get();
  }

  /** Moves the clock; back if negative. */
  public void advanceMicros(long by) {
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
