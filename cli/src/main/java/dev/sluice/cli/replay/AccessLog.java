package dev.sluice.cli.replay;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The common log format of web servers, and those that begin alike: the combined one, and both with
 * the virtual host in front, as Apache writes them for several hosts.
 */
final class AccessLog implements LogFormat {
  // The first brackets behind a blank hold the time; later ones may be a browser's.
  private static final Pattern LINE = Pattern.compile("(.+?) \\[([^\\[\\]]+)\\].*", Pattern.DOTALL);
  // A user's name may hold blanks. What identd says, between host and user, is nearly always a
  // dash: where another word follows the first, and words enough, the first is a virtual host.
  private static final Pattern NAMES =
      Pattern.compile("(?:\\S+ (?!- ))?(\\S+) \\S+ (.+)", Pattern.DOTALL);
  // Strict: else the 31st of February is the 28th.
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/uuuu:HH:mm:ss Z", Locale.ROOT)
          .withResolverStyle(ResolverStyle.STRICT);

  private final boolean byUser;

  AccessLog(String key) {
    this.byUser = key.equals("user");
  }

  static boolean matches(String line) {
    return names(LINE.matcher(line)).matches();
  }

  /** What stands before the time; nothing where there is no time. */
  private static Matcher names(Matcher line) {
    return NAMES.matcher(line.matches() ? line.group(1) : "");
  }

  @Override
  public Optional<LogEntry> read(String line) {
    Matcher matcher = LINE.matcher(line);
    Matcher names = names(matcher);
    if (!names.matches()) {
      throw new IllegalArgumentException(
          "must be a line of an access log (host - user [time] …), got '%s'".formatted(line));
    }
    String time = matcher.group(2);
    try {
      long micros = Times.micros(OffsetDateTime.parse(time, TIME).toInstant());
      return Optional.of(new LogEntry(micros, names.group(byUser ? 2 : 1), 1, Optional.empty()));
    } catch (DateTimeException wrong) {
      throw new IllegalArgumentException(
          "time must look like 10/Oct/2000:13:55:36 -0700, got '%s'".formatted(time), wrong);
    }
  }
}
