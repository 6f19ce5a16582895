package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Policy;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The keys that were denied most often of late, in bounded memory.
 *
 * <p>Two {@link SpaceSaving} sketches, one for the running five minutes and one for the five
 * before, so that yesterday's attack does not hide today's. A count is never too low, and too high
 * by at most {@code overcount}.
 */
public final class TopKeys implements DecisionListener {
  private static final int LONGEST_KEY = 200;
  private static final long PERIOD_NANOS = Duration.ofMinutes(5).toNanos();

  /**
   * A key that was denied.
   *
   * @param denied how often, in the last five to ten minutes; never too low
   * @param overcount how much {@code denied} may be too high
   * @param limit the limit that denied it last
   */
  public record TopKey(String policy, String key, long denied, long overcount, String limit) {}

  private record Who(String policy, String key) {}

  private final LongSupplier nanos;
  private volatile SpaceSaving<Who> current = new SpaceSaving<>();
  private SpaceSaving<Who> previous = new SpaceSaving<>();
  private volatile long started;

  /**
   * An empty sketch.
   *
   * @param nanos tells the time; it is asked with each denial, and may be seconds behind
   */
  public TopKeys(LongSupplier nanos) {
    this.nanos = nanos;
    this.started = nanos.getAsLong();
  }

  @Override
  public void decided(Policy policy, Decision decision, long took) {
    if (decision.allowed() && !decision.shadow()) {
      return;
    }
    String limit = decision.binding().map(Limit::name).orElse(DecisionMetrics.NO_LIMIT);
    rotateIfDue();
    current.add(new Who(policy.name(), shortened(decision.key())), limit);
  }

  private static String shortened(String key) {
    return key.length() <= LONGEST_KEY ? key : key.substring(0, LONGEST_KEY) + "…";
  }

  private void rotateIfDue() {
    if (nanos.getAsLong() - started >= PERIOD_NANOS) {
      rotate();
    }
  }

  private synchronized void rotate() {
    long now = nanos.getAsLong();
    long age = now - started;
    if (age >= PERIOD_NANOS) {
      previous = age >= 2 * PERIOD_NANOS ? new SpaceSaving<>() : current;
      current = new SpaceSaving<>();
      started = now;
    }
  }

  /** The most denied keys of all policies, the most denied first. */
  public List<TopKey> top(int count) {
    return sorted(all().stream(), count);
  }

  /** The most denied keys of one policy, the most denied first. */
  public List<TopKey> top(String policy, int count) {
    return sorted(all().stream().filter(key -> key.policy().equals(policy)), count);
  }

  private static List<TopKey> sorted(Stream<TopKey> keys, int count) {
    return keys.sorted(
            Comparator.comparingLong(TopKey::denied)
                .reversed()
                .thenComparing(TopKey::policy)
                .thenComparing(TopKey::key))
        .limit(count)
        .toList();
  }

  private synchronized List<TopKey> all() {
    rotate();
    Map<Who, TopKey> sum = new HashMap<>();
    for (SpaceSaving<Who> sketch : List.of(current, previous)) {
      sketch.forEach(
          counter ->
              sum.merge(
                  counter.item(),
                  new TopKey(
                      counter.item().policy(),
                      counter.item().key(),
                      counter.count(),
                      counter.inherited(),
                      counter.note()),
                  TopKeys::sum));
    }
    return List.copyOf(sum.values());
  }

  private static TopKey sum(TopKey late, TopKey early) {
    return new TopKey(
        late.policy(),
        late.key(),
        late.denied() + early.denied(),
        late.overcount() + early.overcount(),
        late.limit());
  }
}
