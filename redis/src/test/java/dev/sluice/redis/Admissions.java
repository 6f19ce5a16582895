package dev.sluice.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * What several processes were admitted, and the two questions of a window: how many permits at most
 * by the server's clock, and how many at most as an outsider with one clock can be sure of.
 */
final class Admissions {
  /** One admission: when it was asked, when the answer came, the server's instant, its cost. */
  record Admission(long sentNanos, long receivedNanos, long serverMicros, long cost) {
    @Override
    public String toString() {
      return sentNanos + " " + receivedNanos + " " + serverMicros + " " + cost;
    }

    static Admission parse(String line) {
      String[] parts = line.split(" ", -1);
      return new Admission(
          Long.parseLong(parts[0]),
          Long.parseLong(parts[1]),
          Long.parseLong(parts[2]),
          Long.parseLong(parts[3]));
    }
  }

  private final List<Admission> admissions;

  Admissions(Collection<Admission> admissions) {
    this.admissions = List.copyOf(admissions);
  }

  long permits() {
    return admissions.stream().mapToLong(Admission::cost).sum();
  }

  /** The most permits in any half-open window of the server's clock. */
  long mostByServerClock(long windowMicros) {
    List<Admission> inOrder = new ArrayList<>(admissions);
    inOrder.sort(Comparator.comparingLong(Admission::serverMicros));
    long most = 0;
    long inside = 0;
    int next = 0;
    for (Admission first : inOrder) {
      while (next < inOrder.size()
          && inOrder.get(next).serverMicros < first.serverMicros + windowMicros) {
        inside += inOrder.get(next++).cost;
      }
      most = Math.max(most, inside);
      inside -= first.cost;
    }
    return most;
  }

  /** The most permits that lay wholly, from question to answer, in any window. */
  long mostSeenFromOutside(long windowNanos) {
    List<Admission> bySent = new ArrayList<>(admissions);
    bySent.sort(Comparator.comparingLong(Admission::sentNanos));
    long most = 0;
    for (int first = 0; first < bySent.size(); first++) {
      long end = bySent.get(first).sentNanos + windowNanos;
      long inside = 0;
      for (int i = first; i < bySent.size() && bySent.get(i).sentNanos < end; i++) {
        inside += bySent.get(i).receivedNanos < end ? bySent.get(i).cost : 0;
      }
      most = Math.max(most, inside);
    }
    return most;
  }
}
