package dev.sluice;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The ways in which a limit can count. The identifier is the word used in files, JSON and Redis.
 */
public enum Algorithm {
  /** Tokens come back smoothly (or in whole batches) up to a burst; also known as GCRA. */
  TOKEN_BUCKET("token-bucket"),
  /** A count that starts anew with each window. */
  FIXED_WINDOW("fixed-window"),
  /** Every hit is remembered: exact in every window. */
  SLIDING_LOG("sliding-log"),
  /** Counts per block, the oldest block weighted by its overlap with the window. */
  SLIDING_WINDOW("sliding-window"),
  /** A queue that lets requests pass evenly spaced; the answer carries a wait. */
  LEAKY_BUCKET("leaky-bucket"),
  /** Permits that are held until released, or until their lease ends. */
  CONCURRENCY("concurrency");

  private final String id;

  Algorithm(String id) {
    this.id = id;
  }

  /** The word for this algorithm in files, JSON, headers and Redis keys. */
  public String id() {
    return id;
  }

  /**
   * Finds an algorithm by its word. {@code gcra} is the token bucket and {@code counter} the fixed
   * window.
   *
   * @throws IllegalArgumentException if no algorithm has that word
   */
  public static Algorithm of(String id) {
    for (Algorithm algorithm : values()) {
      if (algorithm.id.equals(id)) {
        return algorithm;
      }
    }
    return switch (id) {
      case "gcra" -> TOKEN_BUCKET;
      case "counter" -> FIXED_WINDOW;
      default ->
          throw new IllegalArgumentException(
              "algorithm must be one of %s, gcra, counter, got '%s'"
                  .formatted(
                      Arrays.stream(values()).map(Algorithm::id).collect(Collectors.joining(", ")),
                      id));
    };
  }

  @Override
  public String toString() {
    return id;
  }
}
