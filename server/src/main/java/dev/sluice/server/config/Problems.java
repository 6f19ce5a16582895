package dev.sluice.server.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Gathers what is wrong, so that a reader hears of everything at once. */
public final class Problems {
  // A hostile file must not turn into an endless report.
  private static final int MOST = 100;

  private final List<ConfigProblem> all = new ArrayList<>();

  /** An empty list. */
  public Problems() {}

  /** Adds a problem; beyond the first hundred they are dropped. */
  public void add(int line, String text) {
    if (all.size() < MOST) {
      all.add(new ConfigProblem(line, text));
    }
  }

  /** Whether nothing was wrong so far. */
  public boolean isEmpty() {
    return all.isEmpty();
  }

  /** How many there are. */
  public int size() {
    return all.size();
  }

  /** The problems in the order of their lines. */
  public List<ConfigProblem> sorted() {
    return all.stream().sorted(Comparator.comparingInt(ConfigProblem::line)).toList();
  }
}
