package dev.sluice.cli.replay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Comma-separated values whose first line names the columns: time, key, and maybe cost, policy. */
final class CsvLog implements LogFormat {
  private final List<String> columns;

  CsvLog(String header) {
    this.columns = fields(header);
  }

  static boolean isHeader(String line) {
    List<String> names = Arrays.asList(line.split(",", -1));
    return names.contains("key") && names.contains("time");
  }

  @Override
  public Optional<LogEntry> read(String line) {
    List<String> values = fields(line);
    if (values.equals(columns)) {
      return Optional.empty();
    }
    if (values.size() != columns.size()) {
      throw new IllegalArgumentException(
          "must have %d columns, got %d".formatted(columns.size(), values.size()));
    }
    return Optional.of(
        new LogEntry(
            Times.micros(values.get(columns.indexOf("time"))),
            values.get(columns.indexOf("key")),
            optional(values, "cost").map(Long::valueOf).orElse(1L),
            optional(values, "policy")));
  }

  private Optional<String> optional(List<String> values, String column) {
    int i = columns.indexOf(column);
    return i < 0 || values.get(i).isEmpty() ? Optional.empty() : Optional.of(values.get(i));
  }

  /** Splits at commas outside double quotes; two quotes inside them are one. */
  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        field.append(c);
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString());
    return fields;
  }
}
