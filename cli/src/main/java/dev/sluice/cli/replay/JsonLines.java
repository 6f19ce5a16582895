package dev.sluice.cli.replay;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One JSON object a line: {@code time} and {@code key}, and maybe {@code cost}, {@code policy}. */
final class JsonLines implements LogFormat {
  @Override
  public Optional<LogEntry> read(String line) {
    Map<String, @Nullable Object> members = JsonTree.object(line);
    return Optional.of(
        new LogEntry(
            Times.micros(text(members, "time")),
            text(members, "key"),
            members.containsKey("cost") ? Long.parseLong(text(members, "cost")) : 1,
            Optional.ofNullable(members.get("policy")).map(Object::toString)));
  }

  private static String text(Map<String, @Nullable Object> members, String name) {
    Object value = members.get(name);
    if (value == null) {
      throw new IllegalArgumentException("member '%s' is missing".formatted(name));
    }
    return value.toString();
  }
}
