package dev.sluice.cli.replay;

import java.util.Optional;

/** Reads the lines of one kind of log. */
public interface LogFormat {
  /**
   * What a line says; empty for a line that says nothing, such as a header.
   *
   * @throws IllegalArgumentException if it is no line of such a log: {@code rule, got value}
   */
  Optional<LogEntry> read(String line);

  /**
   * Finds the format by the first line of a log.
   *
   * @param key which field of an access log is the key: host or user
   * @throws IllegalArgumentException if it is of no format
   */
  static LogFormat of(String firstLine, String key) {
    if (firstLine.stripLeading().startsWith("{")) {
      return new JsonLines();
    }
    if (CsvLog.isHeader(firstLine)) {
      return new CsvLog(firstLine);
    }
    if (AccessLog.matches(firstLine)) {
      return new AccessLog(key);
    }
    throw new IllegalArgumentException(
        "must be a line of an access log (host - user [time] …), a CSV header with the columns"
            + " time and key, or a JSON object with the members time and key, got '%s'"
                .formatted(firstLine));
  }
}
