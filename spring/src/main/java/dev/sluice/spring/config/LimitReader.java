package dev.sluice.spring.config;

import dev.sluice.Algorithm;
import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Makes a limit of its properties. Throws {@link IllegalArgumentException} with the reason. */
final class LimitReader {
  // Boot takes a bare number for milliseconds; in a limit that would be a guess.
  private static final Pattern NUMBER_WITH_UNIT = Pattern.compile("\\d+(us|ms|s|m|h|d)|P.*");

  private final LimitProperties said;
  private final String label;

  private LimitReader(LimitProperties said, String algorithm) {
    this.said = said;
    this.label = "limit '%s'".formatted(said.name() == null ? algorithm : said.name());
  }

  static Limit read(LimitProperties said) {
    if (said.text() != null) {
      return Limit.parse(said.text());
    }
    String algorithm = said.algorithm();
    if (algorithm == null) {
      throw new IllegalArgumentException(
          "limit%s must name its algorithm, or be short as '10/s burst 20'"
              .formatted(said.name() == null ? "" : " '" + said.name() + "'"));
    }
    return new LimitReader(said, algorithm).read(algorithm);
  }

  private Limit read(String word) {
    Limit limit = start(word, Algorithm.of(word), required("permits", said.permits()));
    limit = set(limit, said.name(), Limit::name);
    limit = set(limit, said.burst(), Limit::burst);
    limit = set(limit, said.initial(), Limit::initial);
    limit = set(limit, said.refill(), Limit::refill);
    limit = set(limit, said.precision(), Limit::precision);
    limit = set(limit, said.queue(), Limit::queue);
    limit = set(limit, said.lease(), Limit::lease);
    limit = Boolean.TRUE.equals(said.borrow()) ? limit.borrow() : limit;
    boolean calendar = limit.align() == Limit.Align.CALENDAR;
    return set(limit, calendar ? null : said.align(), (l, align) -> l.align(align(align)));
  }

  private Limit start(String word, Algorithm algorithm, long permits) {
    Optional<CalendarUnit> unit = unit(said.per()).or(() -> unit(said.align()));
    ZoneId zone = said.zone();
    if (algorithm == Algorithm.FIXED_WINDOW && unit.isPresent()) {
      return Limit.calendarWindow(permits, unit.get(), zone == null ? ZoneOffset.UTC : zone);
    }
    if (zone != null) {
      throw new IllegalArgumentException(
          "%s: zone is for a fixed-window per day, week, month or year, got %s"
              .formatted(label, zone));
    }
    if (algorithm == Algorithm.CONCURRENCY) {
      if (said.per() != null) {
        throw new IllegalArgumentException(
            "%s: per is not for concurrency, whose permits are held for a lease, got '%s'"
                .formatted(label, said.per()));
      }
      return Limit.concurrency(permits);
    }
    Duration per = duration(required("per", said.per()));
    return switch (algorithm) {
      case TOKEN_BUCKET -> Limit.tokenBucket(permits, per);
      case FIXED_WINDOW ->
          word.equals("counter") ? Limit.counter(permits, per) : Limit.fixedWindow(permits, per);
      case SLIDING_LOG -> Limit.slidingLog(permits, per);
      case SLIDING_WINDOW -> Limit.slidingWindow(permits, per);
      case LEAKY_BUCKET -> Limit.leakyBucket(permits, per);
      case CONCURRENCY -> Limit.concurrency(permits);
    };
  }

  private <T> T required(String field, @Nullable T value) {
    if (value == null) {
      throw new IllegalArgumentException("%s: must have %s".formatted(label, field));
    }
    return value;
  }

  private static <T> Limit set(Limit limit, @Nullable T value, BiFunction<Limit, T, Limit> setter) {
    return value == null ? limit : setter.apply(limit, value);
  }

  private static Optional<CalendarUnit> unit(@Nullable String word) {
    return Stream.of(CalendarUnit.values()).filter(unit -> unit.id().equals(word)).findFirst();
  }

  private Duration duration(String text) {
    String word = text.strip();
    if (!NUMBER_WITH_UNIT.matcher(word).matches()) {
      throw new IllegalArgumentException(
          "%s: per must be a number with ms, s, m, h or d, or for a fixed-window a calendar unit,"
                  .formatted(label)
              + " got '%s'".formatted(text));
    }
    return DurationStyle.detectAndParse(word);
  }

  private Limit.Align align(String word) {
    return switch (word.strip().toLowerCase(Locale.ROOT)) {
      case "epoch" -> Limit.Align.EPOCH;
      case "first-request" -> Limit.Align.FIRST_REQUEST;
      default ->
          throw new IllegalArgumentException(
              "%s: align must be epoch, first-request, day, week, month or year, got '%s'"
                  .formatted(label, word));
    };
  }
}
