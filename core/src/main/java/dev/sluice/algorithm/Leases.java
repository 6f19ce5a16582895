package dev.sluice.algorithm;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Permits that are held now, each until it is released or its lease ends. */
public final class Leases {
  private record Lease(long ends, long cost) {}

  private final Map<String, Lease> held = new HashMap<>();
  // Permits by the instant at which their leases end.
  private final TreeMap<Long, Long> ending = new TreeMap<>();
  private long total;
  // The clock at the last hold: tells a clock that stepped back from a hold of one who waits.
  private long seen = Long.MIN_VALUE;

  long heldAt(long now) {
    return total - ending.headMap(now, true).values().stream().mapToLong(Long::longValue).sum();
  }

  /** The first instant by which at least {@code permits} of those held after now have ended. */
  long endOf(long permits, long now) {
    long ended = 0;
    for (Map.Entry<Long, Long> entry : ending.tailMap(now, false).entrySet()) {
      ended += entry.getValue();
      if (ended >= permits) {
        return entry.getKey();
      }
    }
    return now;
  }

  long lastEnd() {
    return ending.isEmpty() ? Long.MIN_VALUE : ending.lastKey();
  }

  long seen() {
    return seen;
  }

  void seen(long now) {
    seen = now;
  }

  void hold(String id, long cost, long ends) {
    release(id);
    held.put(id, new Lease(ends, cost));
    ending.merge(ends, cost, Long::sum);
    total += cost;
  }

  /** Ends a lease; false if it had ended before. */
  boolean release(String id) {
    Lease lease = held.remove(id);
    if (lease == null) {
      return false;
    }
    ending.computeIfPresent(
        lease.ends, (ends, cost) -> cost == lease.cost ? null : Long.valueOf(cost - lease.cost));
    total -= lease.cost;
    return true;
  }

  void dropEnded(long now) {
    if (!ending.isEmpty() && ending.firstKey() <= now) {
      held.values().removeIf(lease -> lease.ends <= now);
      ending.headMap(now, true).clear();
      total = ending.values().stream().mapToLong(Long::longValue).sum();
    }
  }

  /** A copy in which no lease ends after {@code latest}. */
  Leases endingBy(long latest) {
    Leases copy = new Leases();
    held.forEach((id, lease) -> copy.hold(id, lease.cost, Math.min(lease.ends, latest)));
    return copy;
  }

  @Override
  public String toString() {
    return total + " held by " + held.keySet();
  }
}
