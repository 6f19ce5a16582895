package dev.sluice.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A policies file that is refused as a whole; the message has a line for each problem. */
public final class PolicyFileException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient List<ConfigProblem> problems;
  private final boolean unreadable;

  private PolicyFileException(String message, List<ConfigProblem> problems, boolean unreadable) {
    super(message);
    this.problems = problems;
    this.unreadable = unreadable;
  }

  /** A file with problems. */
  public static PolicyFileException wrong(Path file, List<ConfigProblem> problems) {
    String name = file.toString();
    String message = problems.stream().map(p -> p.in(name)).collect(Collectors.joining("\n"));
    return new PolicyFileException(message, List.copyOf(problems), false);
  }

  /** A file that cannot be read. */
  public static PolicyFileException unreadable(Path file, String why) {
    ConfigProblem problem = new ConfigProblem(0, why);
    return new PolicyFileException(problem.in(file.toString()), List.of(problem), true);
  }

  /** What is wrong, in the order of lines. */
  public List<ConfigProblem> problems() {
    return problems;
  }

  /** Whether the file could not be read at all. */
  public boolean unreadable() {
    return unreadable;
  }
}
