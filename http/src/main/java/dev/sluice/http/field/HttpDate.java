package dev.sluice.http.field;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Reads dates as HTTP writes them, in the three forms of RFC 9110, section 5.6.7. */
public final class HttpDate {
  private static final List<DateTimeFormatter> FORMS =
      List.of(
          DateTimeFormatter.ofPattern("EEE, dd MMM uuuu HH:mm:ss 'GMT'", Locale.ENGLISH),
          rfc850(),
          DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.ENGLISH));

  private HttpDate() {}

  /** A year of two digits lies within the 50 years before and after 2025. */
  private static DateTimeFormatter rfc850() {
    return new DateTimeFormatterBuilder()
        .appendPattern("EEEE, dd-MMM-")
        .appendValueReduced(ChronoField.YEAR, 2, 2, 1975)
        .appendPattern(" HH:mm:ss 'GMT'")
        .toFormatter(Locale.ENGLISH);
  }

  /** The instant that the text stands for; empty where it is no date of HTTP. */
  public static Optional<Instant> parse(String text) {
    return FORMS.stream().flatMap(form -> parse(text, form).stream()).findFirst();
  }

  private static Optional<Instant> parse(String text, DateTimeFormatter form) {
    try {
      return Optional.of(LocalDateTime.parse(text, form).toInstant(ZoneOffset.UTC));
    } catch (DateTimeException anotherForm) {
      return Optional.empty();
    }
  }
}
