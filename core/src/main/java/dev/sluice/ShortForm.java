package dev.sluice;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The short form of a token bucket; see {@link Limit#parse}. */
final class ShortForm {
  private static final Pattern FORM =
      Pattern.compile(
          "(\\d{1,18})\\s*/\\s*(\\d{0,18})\\s*(ms|s|m|h|d)(?:\\s+burst\\s+(\\d{1,18}))?");

  private ShortForm() {}

  static Limit parse(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "limit must look like '10/s' or '240/h burst 20', got '%s'".formatted(text));
    }
    long count = matcher.group(2).isEmpty() ? 1 : Long.parseLong(matcher.group(2));
    Duration unit =
        switch (matcher.group(3)) {
          case "ms" -> Duration.ofMillis(1);
          case "s" -> Duration.ofSeconds(1);
          case "m" -> Duration.ofMinutes(1);
          case "h" -> Duration.ofHours(1);
          default -> Duration.ofDays(1);
        };
    if (count > Limit.LONGEST_PERIOD.dividedBy(unit)) {
      throw new IllegalArgumentException(
          "limit '%s': per must be from 1 microsecond to 3653 days, got %d%s"
              .formatted(text, count, matcher.group(3)));
    }
    Limit limit = Limit.tokenBucket(Long.parseLong(matcher.group(1)), unit.multipliedBy(count));
    return matcher.group(4) == null ? limit : limit.burst(Long.parseLong(matcher.group(4)));
  }
}
