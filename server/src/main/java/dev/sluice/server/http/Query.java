package dev.sluice.server.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The parameters behind the question mark. A misspelt or repeated one is refused, not ignored. */
final class Query {
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
            name, known.isEmpty() ? "none" : "one of " + String.join(", ", known));
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
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException notOne) {
      throw ProblemException.badRequest(
          "parameter '%s': must be a whole number, got '%s'", name, text);
    }
  }
}
