package dev.sluice.cli.replay;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;

/** Instants as logs write them: ISO 8601, or a number since the epoch. */
final class Times {
  // A number is taken for the coarsest unit, from seconds to nanoseconds, that puts it before the
  // year 5138.
  private static final long MOST_SECONDS = 100_000_000_000L;
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,20}(\\.[0-9]{1,30})?");

  // Programs write it with a space before it, and without the colon that Java wants.
  private static final Pattern OFFSET = Pattern.compile(" ?([+-][0-9]{2}):?([0-9]{2})$");

  private Times() {}

  static long micros(String text) {
    try {
      return NUMBER.matcher(text).matches()
          ? ofNumber(new BigDecimal(text))
          : micros(OffsetDateTime.parse(iso(text)).toInstant());
    } catch (DateTimeException wrong) {
      throw new IllegalArgumentException(
          "time must be ISO 8601 with a zone, or seconds, milliseconds, microseconds or nanoseconds"
              + " since 1970, got '%s'".formatted(text),
          wrong);
    }
  }

  private static String iso(String text) {
    return OFFSET.matcher(text).replaceFirst("$1:$2").replace(' ', 'T');
  }

  static long micros(Instant instant) {
    if (Math.abs(instant.getEpochSecond()) >= MOST_SECONDS) {
      throw new DateTimeException("too far away");
    }
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  /** Twenty digits are nanoseconds, so that three steps are always enough. */
  private static long ofNumber(BigDecimal number) {
    BigDecimal seconds = number;
    while (seconds.compareTo(BigDecimal.valueOf(MOST_SECONDS)) >= 0) {
      seconds = seconds.movePointLeft(3);
    }
    return seconds.movePointRight(6).setScale(0, RoundingMode.DOWN).longValueExact();
  }
}
