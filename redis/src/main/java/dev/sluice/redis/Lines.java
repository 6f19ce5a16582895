package dev.sluice.redis;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The lines before one server's lanes: that of each lane, and that of everybody else. */
final class Lines {
  private final Line shared;
  private final List<Line> all;

  /**
   * Empty lines.
   *
   * @param most how many may wait in each
   */
  Lines(int lanes, int most) {
    this.all = Stream.generate(() -> new Line(most)).limit(lanes + 1L).toList();
    this.shared = all.get(lanes);
  }

  /** The line of all threads that are no lane. */
  Line shared() {
    return shared;
  }

  /** The line of what a lane's thread asks itself, while it hands out answers. */
  Line of(int lane) {
    return all.get(lane);
  }

  boolean isEmpty() {
    for (Line line : all) {
      if (!line.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** The next in any line, those of lanes first, which may be busy with others. */
  @Nullable Ticket next() {
    for (Line line : all) {
      Ticket ticket = line.next();
      if (ticket != null) {
        return ticket;
      }
    }
    return null;
  }

  void forEach(Consumer<Ticket> look) {
    all.forEach(line -> line.forEach(look));
  }
}
