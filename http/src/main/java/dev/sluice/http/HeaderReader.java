package dev.sluice.http;

import dev.sluice.http.ReceivedLimits.ReceivedLimit;
import dev.sluice.http.field.HttpDate;
import dev.sluice.http.field.StructuredField;
import dev.sluice.http.field.StructuredField.Item;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the rate limit headers of a response; see {@link RateLimitHeaders#parse}. */
final class HeaderReader {
  private static final Pattern PLAIN_NUMBER = Pattern.compile("\\d{1,18}(\\.\\d{1,9})?");
  private static final BigDecimal MILLION = BigDecimal.valueOf(1_000_000);

  // A hundred years: nobody waits longer, and every sum with it stays in range.
  private static final Duration LONGEST = Duration.ofDays(36_525);

  // X-RateLimit-Reset has three meanings in the wild. Nobody's window is 30 years long, so a number
  // above these is a Unix time, in seconds (GitHub) or in milliseconds.
  private static final BigDecimal EPOCH_SECONDS = BigDecimal.valueOf(1_000_000_000L);
  private static final BigDecimal EPOCH_MILLIS = BigDecimal.valueOf(1_000_000_000_000L);

  private final Function<String, List<String>> headers;
  private final Instant now;

  HeaderReader(Function<String, List<String>> headers, Instant now) {
    this.headers = headers;
    this.now = now;
  }

  ReceivedLimits read() {
    List<ReceivedLimit> limits = ietf();
    if (limits.isEmpty()) {
      limits = ietf07();
    }
    if (limits.isEmpty()) {
      limits = numbered("RateLimit-");
    }
    if (limits.isEmpty()) {
      limits = numbered("X-RateLimit-");
    }
    return new ReceivedLimits(limits, retryAfter());
  }

  private List<ReceivedLimit> ietf() {
    Map<String, Item> policies = new HashMap<>();
    for (Item item : StructuredField.list(headers.apply("RateLimit-Policy")).orElse(List.of())) {
      if (item.value() instanceof String name) {
        policies.put(name, item);
      }
    }
    List<ReceivedLimit> limits = new ArrayList<>();
    for (Item item : StructuredField.list(headers.apply("RateLimit")).orElse(List.of())) {
      Optional<Long> remaining = item.count("r");
      if (item.value() instanceof String name && remaining.isPresent()) {
        Optional<Item> policy = Optional.ofNullable(policies.get(name));
        limits.add(
            new ReceivedLimit(
                name,
                number(policy.flatMap(p -> p.count("q"))),
                policy.flatMap(p -> p.count("w")).map(HeaderReader::seconds),
                number(remaining),
                item.count("t").map(HeaderReader::seconds)));
      }
    }
    return limits;
  }

  private List<ReceivedLimit> ietf07() {
    Map<String, Object> members = new HashMap<>();
    for (Item item : StructuredField.dictionary(headers.apply("RateLimit")).orElse(List.of())) {
      members.put(item.key(), item.value());
    }
    Optional<Long> remaining = count(members, "remaining");
    if (remaining.isEmpty()) {
      return List.of();
    }
    return List.of(
        new ReceivedLimit(
            "",
            number(count(members, "limit")),
            Optional.empty(),
            number(remaining),
            count(members, "reset").map(HeaderReader::seconds)));
  }

  /** One number a header: the drafts up to 06, and the X- headers of many. */
  private List<ReceivedLimit> numbered(String prefix) {
    Optional<BigDecimal> remaining = first(prefix + "Remaining").flatMap(HeaderReader::decimal);
    if (remaining.isEmpty()) {
      return List.of();
    }
    // Envoy and the early drafts put the policies behind the number: "10, 10;w=1, 1000;w=3600".
    Optional<BigDecimal> quota = first(prefix + "Limit").flatMap(HeaderReader::decimal);
    return List.of(
        new ReceivedLimit(
            "",
            number(quota.map(BigDecimal::longValue)),
            Optional.empty(),
            number(remaining.map(BigDecimal::longValue)),
            first(prefix + "Reset").flatMap(this::reset)));
  }

  private Optional<Duration> reset(String text) {
    Optional<BigDecimal> number = decimal(text);
    if (number.isEmpty()) {
      return isoDate(text);
    }
    BigDecimal value = number.get();
    if (value.compareTo(EPOCH_MILLIS) >= 0) {
      return Optional.of(until(Instant.ofEpochMilli(value.longValue())));
    }
    return Optional.of(
        value.compareTo(EPOCH_SECONDS) >= 0
            ? until(Instant.ofEpochSecond(value.longValue()))
            : decimalSeconds(value));
  }

  private Optional<Duration> isoDate(String text) {
    try {
      return Optional.of(until(OffsetDateTime.parse(text).toInstant()));
    } catch (DateTimeException notOne) {
      return Optional.empty();
    }
  }

  private Optional<Duration> retryAfter() {
    Optional<String> text = headers.apply("Retry-After").stream().findFirst().map(String::strip);
    Optional<Duration> delta =
        text.flatMap(HeaderReader::decimal).map(HeaderReader::decimalSeconds);
    return delta.isPresent() ? delta : text.flatMap(HttpDate::parse).map(this::until);
  }

  private Duration until(Instant instant) {
    return instant.isAfter(now) ? capped(Duration.between(now, instant)) : Duration.ZERO;
  }

  /** The text before the first comma or semicolon of the first line. */
  private Optional<String> first(String header) {
    return headers.apply(header).stream()
        .findFirst()
        .map(line -> line.split("[,;]", 2)[0].strip())
        .filter(text -> !text.isEmpty());
  }

  private static Optional<Long> count(Map<String, Object> members, String name) {
    return Optional.ofNullable(members.get(name)).flatMap(Item::count);
  }

  private static Optional<BigDecimal> decimal(String text) {
    return PLAIN_NUMBER.matcher(text).matches()
        ? Optional.of(new BigDecimal(text))
        : Optional.empty();
  }

  private static Duration decimalSeconds(BigDecimal seconds) {
    if (seconds.compareTo(BigDecimal.valueOf(LONGEST.toSeconds())) > 0) {
      return LONGEST;
    }
    BigDecimal micros = seconds.multiply(MILLION).setScale(0, RoundingMode.CEILING);
    return Duration.ofNanos(micros.longValueExact() * 1_000);
  }

  private static Duration seconds(long seconds) {
    return capped(Duration.ofSeconds(seconds));
  }

  private static Duration capped(Duration duration) {
    return duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
  }

  private static OptionalLong number(Optional<Long> value) {
    return value.map(OptionalLong::of).orElse(OptionalLong.empty());
  }
}
