package dev.sluice.http;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A way to tell a client about its limits in headers. {@link RateLimitHeaders} writes and reads
 * them.
 */
public enum Dialect {
  /**
   * The IETF drafts 08 to 11: {@code RateLimit-Policy: "burst";q=20;w=2} and {@code RateLimit:
   * "burst";r=19;t=1}.
   */
  IETF("ietf", "RateLimit"),
  /** The IETF drafts up to 06: {@code RateLimit-Limit}, {@code -Remaining}, {@code -Reset}. */
  IETF_06("ietf-06", "RateLimit"),
  /** The IETF draft 07: {@code RateLimit: limit=20, remaining=19, reset=1}. */
  IETF_07("ietf-07", "RateLimit"),
  /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset} in seconds from now. */
  X("x", "X-RateLimit"),
  /** As GitHub: {@code x-ratelimit-*}, with {@code -used}, and the reset as a Unix time. */
  GITHUB("github", "X-RateLimit"),
  /** No headers but {@code Retry-After}. */
  NONE("none", "");

  private final String id;
  private final String family;

  Dialect(String id, String family) {
    this.id = id;
    this.family = family;
  }

  /** The word for this dialect in configuration. */
  public String id() {
    return id;
  }

  /**
   * Finds a dialect by its word, such as {@code ietf}.
   *
   * @throws IllegalArgumentException if no dialect has that word
   */
  public static Dialect parse(String id) {
    String word = id.strip().toLowerCase(Locale.ROOT);
    for (Dialect dialect : values()) {
      if (dialect.id.equals(word)) {
        return dialect;
      }
    }
    throw new IllegalArgumentException(
        "dialect must be one of %s, got '%s'"
            .formatted(
                Arrays.stream(values()).map(Dialect::id).collect(Collectors.joining(", ")), id));
  }

  /** Whether the two give one header two meanings, or one says that there shall be none. */
  boolean contradicts(Dialect other) {
    return this != other && (this == NONE || other == NONE || family.equals(other.family));
  }

  @Override
  public String toString() {
    return id;
  }
}
