package dev.sluice.cli.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Comma-separated values whose first line names the columns: time, key, and maybe cost, policy. */
final class CsvLog implements LogFormat {
  private final List<String> columns;

  CsvLog(String header) {
    this.columns = names(fields(header));
  }

  static boolean isHeader(String line) {
    try {
      return names(fields(line)).containsAll(List.of("time", "key"));
    } catch (IllegalArgumentException unclosedQuote) {
      return false;
    }
  }

  private static List<String> names(List<String> header) {
    return header.stream().map(name -> name.strip().toLowerCase(Locale.ROOT)).toList();
  }

  @Override
  public Optional<LogEntry> read(String line) {
    List<String> values = fields(line);
    // Logs that were put together bring their headers along.
    if (names(values).equals(columns)) {
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
            optional(values, "cost").map(LogEntry::cost).orElse(1L),
            optional(values, "policy")));
  }

  private Optional<String> optional(List<String> values, String column) {
    int i = columns.indexOf(column);
    return i < 0 || values.get(i).isEmpty() ? Optional.empty() : Optional.of(values.get(i));
  }

  /**
   * Splits at commas outside double quotes; two quotes inside them are one. Blanks around a field
   * do not count, those inside its quotes do.
   */
  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    int start = 0;
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      // Two quotes close and open again, which changes nothing here.
      quoted ^= c == '"';
      if (c == ',' && !quoted) {
        fields.add(field(line.substring(start, i)));
        start = i + 1;
      }
    }
    if (quoted) {
      throw new IllegalArgumentException("quotes must be closed in the same line");
    }
    fields.add(field(line.substring(start)));
    return fields;
  }

  private static String field(String written) {
    String text = written.strip();
    boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    return quoted ? text.substring(1, text.length() - 1).replace("\"\"", "\"") : text;
  }
}
