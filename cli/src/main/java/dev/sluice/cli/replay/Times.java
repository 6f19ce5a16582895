package dev.sluice.cli.replay;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;

/** Instants as logs write them: ISO 8601, or a number since the epoch. */
final class Times {
  // A number is taken for the finest unit that puts it before the year 5138.
  private static final BigDecimal MOST_SECONDS = new BigDecimal("100000000000");

  private Times() {}

  static long micros(String text) {
    if (!text.isEmpty() && text.chars().allMatch(c -> c == '.' || Character.isDigit(c))) {
      return ofNumber(new BigDecimal(text));
    }
    try {
      return micros(OffsetDateTime.parse(text.replace(' ', 'T')).toInstant());
    } catch (DateTimeException wrong) {
      throw new IllegalArgumentException(
          "time must be ISO 8601 with a zone or a number since 1970, got '%s'".formatted(text),
          wrong);
    }
  }

  static long micros(Instant instant) {
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  private static long ofNumber(BigDecimal number) {
    BigDecimal seconds = number;
    while (seconds.compareTo(MOST_SECONDS) >= 0) {
      seconds = seconds.movePointLeft(3);
    }
    return seconds.movePointRight(6).setScale(0, RoundingMode.DOWN).longValueExact();
  }
}
