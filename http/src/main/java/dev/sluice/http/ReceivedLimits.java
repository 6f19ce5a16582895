package dev.sluice.http;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a response said about its sender's limits.
 *
 * @param limits in the order of the header; empty where nothing was said, or nothing readable
 * @param retryAfter how long the sender asks to wait; wins over any reset
 */
public record ReceivedLimits(List<ReceivedLimit> limits, Optional<Duration> retryAfter) {
  /** Copies the list. */
  public ReceivedLimits {
    limits = List.copyOf(limits);
  }

  /**
   * One limit of the sender.
   *
   * @param name what the sender calls it; empty in dialects without names
   * @param quota the most that can be spent at once or in a window
   * @param window in which the quota comes back
   * @param remaining what can still be spent
   * @param reset how long until there is more
   */
  public record ReceivedLimit(
      String name,
      OptionalLong quota,
      Optional<Duration> window,
      OptionalLong remaining,
      Optional<Duration> reset) {}

  /** The limit with the least remaining; among equals the one with the longest reset. */
  public Optional<ReceivedLimit> tightest() {
    return limits.stream()
        .filter(limit -> limit.remaining().isPresent())
        .min(
            Comparator.<ReceivedLimit>comparingLong(limit -> limit.remaining().getAsLong())
                .thenComparing(
                    limit -> limit.reset().orElse(Duration.ZERO), Comparator.reverseOrder()));
  }

  /** What can still be spent before the sender's tightest limit refuses. */
  public OptionalLong remaining() {
    return tightest().map(ReceivedLimit::remaining).orElse(OptionalLong.empty());
  }

  /** How long until the sender's tightest limit has more. */
  public Optional<Duration> reset() {
    return tightest().flatMap(ReceivedLimit::reset);
  }

  /**
   * How long to stay away: {@code Retry-After}, or else the reset of a limit with nothing left;
   * empty where the sender does not ask for it.
   */
  public Optional<Duration> pause() {
    if (retryAfter.isPresent()) {
      return retryAfter;
    }
    OptionalLong left = remaining();
    return left.isPresent() && left.getAsLong() == 0 ? reset() : Optional.empty();
  }
}
