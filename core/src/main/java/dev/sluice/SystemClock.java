package dev.sluice;

import java.time.Instant;

/** The wall clock as it was when this was made, carried on by {@link System#nanoTime}. */
final class SystemClock implements MicroClock {
  private final long offset;

  SystemClock() {
    Instant now = Instant.now();
    this.offset =
        now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000 - System.nanoTime() / 1_000;
  }

  @Override
  public long nowMicros() {
    return offset + System.nanoTime() / 1_000;
  }

  @Override
  public boolean isSteady() {
    return true;
  }
}
