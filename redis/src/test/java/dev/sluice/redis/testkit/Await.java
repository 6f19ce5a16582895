package dev.sluice.redis.testkit;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a condition instead of for a time. */
public final class Await {
  // Short against the 15 ms that a server takes to start, long against one PING of 0.3 ms.
  private static final long POLL_MILLIS = 5;

  private Await() {}

  /**
   * Returns as soon as the condition holds.
   *
   * <p>The condition is asked every few milliseconds and at least once; what it throws is passed
   * on.
   *
   * @param description what is awaited, as it would end the sentence "gave up waiting until …"
   * @throws AssertionError if the condition did not hold within the limit
   */
  public static void until(Duration limit, BooleanSupplier condition, String description) {
    until(limit, condition, () -> description);
  }

  /**
   * Does the same with a description that is made on failure only, so that it can hold logs.
   *
   * @throws AssertionError if the condition did not hold within the limit
   */
  public static void until(
      Duration limit, BooleanSupplier condition, Supplier<String> description) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            "gave up after %d ms waiting until %s".formatted(limit.toMillis(), description.get()));
      }
      try {
        Thread.sleep(POLL_MILLIS);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted waiting until " + description.get(), stopped);
      }
    }
  }
}
