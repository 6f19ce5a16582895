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

  /** The counters by the names of limits and outcomes. */
  private record Meters(Timer timer, Map<String, Map<String, Counter>> counters) {}

  private final MeterRegistry registry;
  private final Map<String, Meters> policies = new ConcurrentHashMap<>();

  /** Metrics in a registry. */
  public DecisionMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void decided(Policy policy, Decision decision, long nanos) {
    Limit binding = decision.binding().orElse(null);
    count(policy.name(), binding == null ? NO_LIMIT : binding.name(), outcome(decision));
    of(policy.name()).timer.record(nanos, TimeUnit.NANOSECONDS);
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
    of(policy)
        .counters
        .computeIfAbsent(limit, unknown -> new ConcurrentHashMap<>())
        .computeIfAbsent(outcome, unknown -> counter(policy, limit, outcome))
        .increment();
  }

  private Meters of(String policy) {
    return policies.computeIfAbsent(
        policy, unknown -> new Meters(timer(policy), new ConcurrentHashMap<>()));
  }

  private Timer timer(String policy) {
    return histogram("sluice.decision", "Time to a decision, the store included")
        .tag("policy", policy)
        .register(registry);
  }

  private Counter counter(String policy, String limit, String outcome) {
    return Counter.builder("sluice.decisions")
        .description("Decisions by policy, binding limit and outcome")
        .tag("policy", policy)
        .tag("limit", limit)
        .tag("outcome", outcome)
        .register(registry);
  }
}
