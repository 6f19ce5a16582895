package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.util.ArrayList;
import java.util.List;

/** Every single permit with its time; all of them are counted each time. */
final class SlidingLogOracle implements Oracle {
  private final Limit limit;
  private final List<Long> permits = new ArrayList<>();

  SlidingLogOracle(Limit limit) {
    this.limit = limit;
  }

  @Override
  public Answer ask(long now, long cost) {
    permits.removeIf(at -> at + limit.perMicros() <= now);
    boolean allowed = permits.size() + cost <= limit.permits();
    long retry = 0;
    if (!allowed) {
      // They leave in order: so many must be gone that the cost fits.
      int gone = (int) (permits.size() + cost - limit.permits());
      retry = permits.get(gone - 1) + limit.perMicros() - now;
    }
    for (long i = 0; allowed && i < cost; i++) {
      permits.add(now);
    }
    long reset = permits.isEmpty() ? 0 : permits.get(permits.size() - 1) + limit.perMicros() - now;
    return new Answer(allowed, limit.permits() - permits.size(), retry, reset, 0);
  }
}
