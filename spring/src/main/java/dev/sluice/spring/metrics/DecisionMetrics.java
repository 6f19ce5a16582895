package dev.sluice.spring.metrics;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.StoreUnavailableException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts decisions: {@code sluice.decisions} by policy, limit and outcome, {@code sluice.decision}
 * for their time and {@code sluice.store.failures} by reason. In Prometheus' words {@code
 * sluice_decisions_total}, {@code sluice_decision_seconds} and {@code sluice_store_failures_total}.
 */
public final class DecisionMetrics implements DecisionListener {
  private static final String NO_LIMIT = "none";

  private record Outcome(String policy, String limit, String outcome) {}

  private final MeterRegistry registry;
  private final Timer time;
  // A look-up in the registry sorts and hashes labels: too dear for every decision.
  private final Map<Outcome, Counter> counters = new ConcurrentHashMap<>();

  /** Counts in this registry. */
  public DecisionMetrics(MeterRegistry registry) {
    this.registry = registry;
    this.time =
        Timer.builder("sluice.decision")
            .description("Time of a decision, the way to the store included")
            .publishPercentileHistogram()
            .register(registry);
  }

  @Override
  public void decided(Policy policy, Decision decision, long nanos) {
    String limit = decision.binding().map(Limit::name).orElse(NO_LIMIT);
    count(policy.name(), limit, outcome(decision));
    time.record(nanos, TimeUnit.NANOSECONDS);
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

  @Override
  public void invalid(Policy policy, IllegalArgumentException problem) {
    count(policy.name(), NO_LIMIT, "invalid");
  }

  @Override
  public void storeFailed(Policy policy, StoreUnavailableException failure) {
    registry.counter("sluice.store.failures", "reason", failure.reason()).increment();
  }

  private void count(String policy, String limit, String outcome) {
    counters.computeIfAbsent(new Outcome(policy, limit, outcome), this::counter).increment();
  }

  private Counter counter(Outcome outcome) {
    return Counter.builder("sluice.decisions")
        .description("Decisions by policy, binding limit and outcome")
        .tags(Tags.of("policy", outcome.policy, "limit", outcome.limit, "outcome", outcome.outcome))
        .register(registry);
  }
}
