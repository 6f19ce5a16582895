package dev.sluice.cli.replay;

import dev.sluice.Limit;
import java.util.Optional;

/**
 * One request of a log. One that no limiter would take cannot be made.
 *
 * @param micros when it came, in microseconds since the epoch
 * @param policy the policy that it names, if it names one
 */
public record LogEntry(long micros, String key, long cost, Optional<String> policy) {
  /** Checks key and cost. */
  public LogEntry {
    if (key.isEmpty()) {
      throw new IllegalArgumentException("key must not be empty");
    }
    if (cost < 1 || cost > Limit.MOST_PERMITS) {
      throw wrongCost(Long.toString(cost));
    }
  }

  /** Reads a cost. */
  static long cost(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException notOne) {
      throw wrongCost(text);
    }
  }

  private static IllegalArgumentException wrongCost(String text) {
    return new IllegalArgumentException(
        "cost must be a whole number from 1 to %d, got '%s'".formatted(Limit.MOST_PERMITS, text));
  }
}
