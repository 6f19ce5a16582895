package dev.sluice;

import java.time.Instant;

/** Where a store reads the time. Whole microseconds since 1970-01-01T00:00Z. */
@FunctionalInterface
public interface MicroClock {
  /** The present instant in microseconds since the epoch. */
  long nowMicros();

  /**
   * The wall clock as it was when this method was called, carried on by {@link System#nanoTime}: it
   * never steps, whatever happens to the machine's clock afterwards.
   */
  static MicroClock system() {
    Instant now = Instant.now();
    long offset =
        now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000 - System.nanoTime() / 1_000;
    return () -> offset + System.nanoTime() / 1_000;
  }
}
