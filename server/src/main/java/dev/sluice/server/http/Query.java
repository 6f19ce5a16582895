package dev.sluice.server.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The parameters behind the question mark. A misspelt or repeated one is refused, not ignored. */
final class Query {
  /** All numbers of so many digits fit into a long. */
  static final int MOST_DIGITS = 18;

  private final Map<String, String> values = new LinkedHashMap<>();

  Query(@Nullable String raw, List<String> known) {
    if (raw == null || raw.isEmpty()) {
      return;
    }
    for (String pair : raw.split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = decode(equals < 0 ? pair : pair.substring(0, equals));
      String value = equals < 0 ? "" : decode(pair.substring(equals + 1));
      if (!known.contains(name)) {
        throw ProblemException.badRequest(
            "parameter '%s': unknown, expected %s",
            Shown.of(name), known.isEmpty() ? "none" : "one of " + String.join(", ", known));
      }
      if (values.putIfAbsent(name, value) != null) {
        throw ProblemException.badRequest("parameter '%s': must be there once", name);
      }
    }
  }

  private static String decode(String text) {
    return Path.decode("query", text.replace('+', ' '));
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  long number(String name, long absent) {
    String text = values.get(name);
    if (text == null) {
      return absent;
    }
    String digits = text.startsWith("-") ? text.substring(1) : text;
    if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw ProblemException.badRequest(
          "parameter '%s': must be a whole number, got '%s'", name, Shown.of(text));
    }
    if (digits.length() > MOST_DIGITS) {
      throw ProblemException.badRequest(
          "parameter '%s': must be of at most %d digits, got '%s'",
          name, MOST_DIGITS, Shown.of(text));
    }
    return Long.parseLong(text);
  }
}
