package dev.sluice.cli.replay;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The common log format of web servers, and the combined one that begins alike. */
final class AccessLog implements LogFormat {
  private static final Pattern LINE = Pattern.compile("(\\S+) \\S+ (\\S+) \\[([^\\]]+)\\].*");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT);

  private final boolean byUser;

  AccessLog(String key) {
    this.byUser = key.equals("user");
  }

  @Override
  public Optional<LogEntry> read(String line) {
    Matcher matcher = LINE.matcher(line);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a line of a common access log");
    }
    try {
      long micros = Times.micros(OffsetDateTime.parse(matcher.group(3), TIME).toInstant());
      String key = matcher.group(byUser ? 2 : 1);
      return Optional.of(new LogEntry(micros, key, 1, Optional.empty()));
    } catch (DateTimeException wrong) {
      throw new IllegalArgumentException(
          "time must look like 10/Oct/2000:13:55:36 -0700, got '%s'".formatted(matcher.group(3)),
          wrong);
    }
  }
}
