package dev.sluice.server;

import dev.sluice.server.config.Rules;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Newer files that were refused, of policies and of Envoy's rules. Safe for many threads. */
public final class Refusals {
  private final List<Supplier<Optional<Rules.Failure>>> sources = new CopyOnWriteArrayList<>();

  /** Nothing can be refused yet. */
  public Refusals() {}

  /** Adds rules that may be refused. */
  public void add(Supplier<Optional<Rules.Failure>> source) {
    sources.add(source);
  }

  /** What is refused now, as one: every problem, and when the last of them was found. */
  public Optional<Rules.Failure> now() {
    List<Rules.Failure> all =
        sources.stream().map(Supplier::get).flatMap(Optional::stream).toList();
    Optional<Instant> last = all.stream().map(Rules.Failure::at).max(Comparator.naturalOrder());
    return last.map(
        at ->
            new Rules.Failure(
                at, all.stream().flatMap(failure -> failure.problems().stream()).toList()));
  }
}
