package dev.sluice.http.field;

import java.util.List;
import java.util.Optional;

/** Reads the {@code Cookie} header as RFC 6265, section 4.2, has browsers write it. */
public final class Cookies {
  private Cookies() {}

  /** The first cookie of that name. */
  public static Optional<String> value(List<String> lines, String name) {
    for (String line : lines) {
      for (String pair : line.split(";", -1)) {
        int equals = pair.indexOf('=');
        if (equals >= 0 && pair.substring(0, equals).strip().equals(name)) {
          return Optional.of(unquoted(pair.substring(equals + 1).strip()));
        }
      }
    }
    return Optional.empty();
  }

  private static String unquoted(String value) {
    return value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")
        ? value.substring(1, value.length() - 1)
        : value;
  }
}
