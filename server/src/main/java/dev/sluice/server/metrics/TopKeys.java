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
 * <p>Two space-saving sketches, one for the running five minutes and one for the five before, so
 * that yesterday's attack does not hide today's. Each holds a fixed number of keys: a new key takes
 * the place of the least denied one and inherits its count, so a count is never too low, and too
 * high by at most {@code overcount}.
 */
public final class TopKeys implements DecisionListener {
  /** How many keys each sketch follows. */
  static final int FOLLOWED = 1_000;

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
  private SpaceSaving<Who> current = new SpaceSaving<>(FOLLOWED);
  private SpaceSaving<Who> previous = new SpaceSaving<>(FOLLOWED);
  private long started;

  /** An empty sketch on the system's clock. */
  public TopKeys() {
    this(System::nanoTime);
  }

  TopKeys(LongSupplier nanos) {
    this.nanos = nanos;
    this.started = nanos.getAsLong();
  }

  @Override
  public void decided(Policy policy, Decision decision, long took) {
    if (decision.allowed() && !decision.shadow()) {
      return;
    }
    String limit = decision.binding().map(Limit::name).orElse(DecisionMetrics.NO_LIMIT);
    add(new Who(policy.name(), shortened(decision.key())), limit);
  }

  private static String shortened(String key) {
    return key.length() <= LONGEST_KEY ? key : key.substring(0, LONGEST_KEY) + "…";
  }

  private synchronized void add(Who who, String limit) {
    rotate();
    current.add(who, limit);
  }

  private void rotate() {
    long age = nanos.getAsLong() - started;
    if (age >= PERIOD_NANOS) {
      previous = age >= 2 * PERIOD_NANOS ? new SpaceSaving<>(FOLLOWED) : current;
      current = new SpaceSaving<>(FOLLOWED);
      started = nanos.getAsLong();
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
          (who, counter) ->
              sum.merge(
                  who,
                  new TopKey(
                      who.policy(), who.key(), counter.count, counter.inherited, counter.note),
                  (a, b) ->
                      new TopKey(
                          a.policy(),
                          a.key(),
                          a.denied() + b.denied(),
                          a.overcount() + b.overcount(),
                          a.limit())));
    }
    return List.copyOf(sum.values());
  }
}
