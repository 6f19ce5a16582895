package dev.sluice;

/** Where a store reads the time. Whole microseconds since 1970-01-01T00:00Z. */
@FunctionalInterface
public interface MicroClock {
  /** The present instant in microseconds since the epoch. */
  long nowMicros();

  /** Whether it never goes back: a store can do with less where it knows that. */
  default boolean isSteady() {
    return false;
  }

  /**
   * The wall clock as it was when this method was called, carried on by {@link System#nanoTime}: it
   * never steps, whatever happens to the machine's clock afterwards.
   */
  static MicroClock system() {
    return new SystemClock();
  }
}
