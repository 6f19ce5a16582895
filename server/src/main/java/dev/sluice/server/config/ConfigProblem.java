package dev.sluice.server.config;

/**
 * Something wrong in a configuration, and where.
 *
 * @param line counted from 1; 0 where the configuration has no lines
 */
public record ConfigProblem(int line, String text) {
  /**
   * The problem with its place, as compilers write it: {@code policies.yml:12: policy 'api': …}.
   */
  public String in(String file) {
    return line == 0 ? file + ": " + text : file + ":" + line + ": " + text;
  }
}
