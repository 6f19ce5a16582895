package dev.sluice.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What several processes were admitted, and the two questions of a window: how many at most by the
 * server's clock, and how many at most as an outsider with one clock can be sure of.
 */
final class Admissions {
  /** One admission: when it was asked, when the answer came, and the instant the server named. */
  record Admission(long sentNanos, long receivedNanos, long serverMicros) {
    @Override
    public String toString() {
      return sentNanos + " " + receivedNanos + " " + serverMicros;
    }

    static Admission parse(String line) {
      String[] parts = line.split(" ", -1);
      return new Admission(
          Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
    }
  }

  private final List<Admission> admissions;

  Admissions(Collection<Admission> admissions) {
    this.admissions = List.copyOf(admissions);
  }

  int size() {
    return admissions.size();
  }

  /** The most admissions in any half-open window of the server's clock. */
  int mostByServerClock(long windowMicros) {
    List<Long> times = admissions.stream().map(Admission::serverMicros).sorted().toList();
    int most = 0;
    for (int first = 0, next = 0; first < times.size(); first++) {
      while (next < times.size() && times.get(next) < times.get(first) + windowMicros) {
        next++;
      }
      most = Math.max(most, next - first);
    }
    return most;
  }

  /** The most admissions that lay wholly, from question to answer, in any window. */
  int mostSeenFromOutside(long windowNanos) {
    List<Admission> bySent = new ArrayList<>(admissions);
    bySent.sort((a, b) -> Long.compare(a.sentNanos, b.sentNanos));
    int most = 0;
    for (int first = 0; first < bySent.size(); first++) {
      long end = bySent.get(first).sentNanos + windowNanos;
      int inside = 0;
      for (int i = first; i < bySent.size() && bySent.get(i).sentNanos < end; i++) {
        inside += bySent.get(i).receivedNanos < end ? 1 : 0;
      }
      most = Math.max(most, inside);
    }
    return most;
  }
}
