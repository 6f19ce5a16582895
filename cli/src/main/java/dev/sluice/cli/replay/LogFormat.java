package dev.sluice.cli.replay;

import java.util.Optional;

/** Reads the lines of one kind of log. */
public interface LogFormat {
  /** What a line says; empty for a line that says nothing, such as a header. */
  Optional<LogEntry> read(String line);

  /**
   * Finds the format by the first line of a log.
   *
   * @param key which field of an access log is the key: host or user
   */
  static LogFormat of(String firstLine, String key) {
    if (firstLine.startsWith("{")) {
      return new JsonLines();
    }
    if (CsvLog.isHeader(firstLine)) {
      return new CsvLog(firstLine);
    }
    return new AccessLog(key);
  }
}
