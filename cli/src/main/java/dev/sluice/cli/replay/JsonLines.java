package dev.sluice.cli.replay;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One JSON object a line: {@code time} and {@code key}, and maybe {@code cost}, {@code policy}. */
final class JsonLines implements LogFormat {
  // Digits that a time or a cost has at most; 1e999999999 must not be written out.
  private static final int MOST_ZEROS = 30;

  @Override
  public Optional<LogEntry> read(String line) {
    Map<String, @Nullable Object> members = JsonTree.object(line);
    return Optional.of(
        new LogEntry(
            Times.micros(required(members, "time")),
            required(members, "key"),
            optional(members, "cost").map(LogEntry::cost).orElse(1L),
            optional(members, "policy")));
  }

  private static String required(Map<String, @Nullable Object> members, String name) {
    return optional(members, name)
        .orElseThrow(() -> new IllegalArgumentException("%s is missing".formatted(name)));
  }

  private static Optional<String> optional(Map<String, @Nullable Object> members, String name) {
    Object value = members.get(name);
    if (value instanceof BigDecimal number) {
      boolean plain = Math.abs(number.scale()) <= MOST_ZEROS;
      return Optional.of(plain ? number.toPlainString() : number.toString());
    }
    if (value == null || value instanceof String) {
      return Optional.ofNullable((String) value);
    }
    throw new IllegalArgumentException(
        "%s must be text or a number, got %s".formatted(name, kind(value)));
  }

  private static String kind(Object value) {
    if (value instanceof Map) {
      return "an object";
    }
    return value instanceof List ? "a list" : value.toString();
  }
}
