package dev.sluice.redis;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

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
    this.shared = new SharedLine(most);
    Stream<Line> own = Stream.generate(() -> new OwnLine(most));
    this.all = Stream.concat(own.limit(lanes), Stream.of(shared)).toList();
  }

  /** The line of all threads that are no lane. */
  Line shared() {
    return shared;
  }

  /** The line of what a lane's thread asks itself, and nobody else, while it hands out answers. */
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

  /** Takes up to so many out of the first line with anybody in it; those of lanes come first. */
  void takeTo(List<Ticket> out, int atMost) {
    int before = out.size();
    for (Line line : all) {
      line.takeTo(out, atMost);
      if (out.size() > before) {
        return;
      }
    }
  }

  void forEach(Consumer<Ticket> look) {
    all.forEach(line -> line.forEach(look));
  }
}
