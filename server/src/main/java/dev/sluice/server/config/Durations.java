package dev.sluice.server.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as configuration writes them: {@code 250ms}, {@code 1s}, {@code 5m}, {@code 1h}. */
public final class Durations {
  private static final Pattern FORM = Pattern.compile("(\\d{1,15})(us|ms|s|m|h|d)");

  private Durations() {}

  /**
   * Reads a whole number and a unit: us, ms, s, m, h or d.
   *
   * @throws IllegalArgumentException if the text is not of that form
   */
  public static Duration parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "must be a duration such as 250ms, 1s, 5m, 1h or 1d, got '%s'".formatted(text));
    }
    long count = Long.parseLong(matcher.group(1));
    try {
      return switch (matcher.group(2)) {
        case "us" -> Duration.ofNanos(Math.multiplyExact(count, 1_000));
        case "ms" -> Duration.ofMillis(count);
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        case "h" -> Duration.ofHours(count);
        default -> Duration.ofDays(count);
      };
    } catch (ArithmeticException tooLong) {
      throw new IllegalArgumentException("duration is too long, got '%s'".formatted(text), tooLong);
    }
  }
}
