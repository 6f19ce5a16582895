package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.StoreUnavailableException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Counts decisions by policy, binding limit and outcome, and how long they took. */
public final class DecisionMetrics implements DecisionListener {
  /** In place of a limit's name where no limit decided. */
  static final String NO_LIMIT = "none";

  // From the memory store's microseconds to a store that took its whole deadline and more.
  private static final Duration[] BUCKETS = {
    Duration.ofNanos(10_000),
    Duration.ofNanos(50_000),
    Duration.ofNanos(100_000),
    Duration.ofNanos(250_000),
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofNanos(2_500_000),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(500)
  };

  private record Outcome(String policy, String limit, String outcome) {}

  private final MeterRegistry registry;
  private final Map<Outcome, Counter> counters = new ConcurrentHashMap<>();
  private final Map<String, Timer> timers = new ConcurrentHashMap<>();

  /** Metrics in a registry. */
  public DecisionMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void decided(Policy policy, Decision decision, long nanos) {
    String limit = decision.binding().map(Limit::name).orElse(NO_LIMIT);
    count(policy.name(), limit, outcome(decision));
    timers
        .computeIfAbsent(
            policy.name(),
            name ->
                histogram("sluice.decision", "Time to a decision, the store included")
                    .tag("policy", name)
                    .register(registry))
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void storeFailed(Policy policy, StoreUnavailableException failure) {
    registry.counter("sluice.store.failures", "reason", failure.reason()).increment();
  }

  @Override
  public void invalid(Policy policy, IllegalArgumentException problem) {
    count(policy.name(), NO_LIMIT, "invalid");
  }

  static Timer.Builder histogram(String name, String description) {
    return Timer.builder(name).description(description).serviceLevelObjectives(BUCKETS);
  }

  private static String outcome(Decision decision) {
    if (decision.degraded()) {
      return "degraded";
    }
    if (decision.shadow()) {
      return "shadow_denied";
    }
    return decision.allowed() ? "allowed" : "denied";
  }

  private void count(String policy, String limit, String outcome) {
    counters
        .computeIfAbsent(
            new Outcome(policy, limit, outcome),
            labels ->
                Counter.builder("sluice.decisions")
                    .description("Decisions by policy, binding limit and outcome")
                    .tag("policy", policy)
                    .tag("limit", limit)
                    .tag("outcome", outcome)
                    .register(registry))
        .increment();
  }
}
