package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.util.ArrayList;
import java.util.List;

/** Every single held permit with the end of its lease. */
final class ConcurrencyOracle implements Oracle {
  private final Limit limit;
  private final List<Long> ends = new ArrayList<>();

  ConcurrencyOracle(Limit limit) {
    this.limit = limit;
  }

  @Override
  public Answer ask(long now, long cost) {
    ends.removeIf(end -> end <= now);
    boolean allowed = ends.size() + cost <= limit.permits();
    long retry = 0;
    if (!allowed) {
      retry = ends.get((int) (ends.size() + cost - limit.permits() - 1)) - now;
    }
    for (long i = 0; allowed && i < cost; i++) {
      ends.add(now + limit.perMicros());
    }
    long reset = ends.isEmpty() ? 0 : ends.get(ends.size() - 1) - now;
    return new Answer(allowed, limit.permits() - ends.size(), retry, reset, 0);
  }
}
