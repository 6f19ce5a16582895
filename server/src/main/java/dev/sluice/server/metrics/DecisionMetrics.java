package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.StoreUnavailableException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts decisions by policy, binding limit and outcome, and how long they took. */
public final class DecisionMetrics implements DecisionListener {
  /** In place of a limit's name where no limit decided. */
  static final String NO_LIMIT = "none";

  private enum Outcome {
    ALLOWED,
    DENIED,
    SHADOW_DENIED,
    DEGRADED,
    INVALID;

    static Outcome of(Decision decision) {
      if (decision.degraded()) {
        return DEGRADED;
      }
      if (decision.shadow()) {
        return SHADOW_DENIED;
      }
      return decision.allowed() ? ALLOWED : DENIED;
    }
  }

  /** What is known of one policy: the time of its decisions, and their outcomes by limit. */
  private record Meters(Times times, Map<String, Map<Outcome, LongAdder>> limits) {
    void count(String limit, Outcome outcome) {
      Map<Outcome, LongAdder> known = limits.get(limit);
      Map<Outcome, LongAdder> counts =
          known != null ? known : limits.computeIfAbsent(limit, Meters::none);
      Objects.requireNonNull(counts.get(outcome)).increment();
    }

    private static Map<Outcome, LongAdder> none(String limit) {
      Map<Outcome, LongAdder> none = new EnumMap<>(Outcome.class);
      for (Outcome outcome : Outcome.values()) {
        none.put(outcome, new LongAdder());
      }
      return none;
    }
  }

  private final PrometheusMeterRegistry registry;
  private final TimesCollector times;
  private final Map<String, Meters> policies = new ConcurrentHashMap<>();

  /** Metrics in a registry. */
  public DecisionMetrics(PrometheusMeterRegistry registry) {
    this.registry = registry;
    this.times =
        new TimesCollector(
            "sluice_decision_seconds", "Time to a decision, the store included", registry);
    MultiCollector counts = this::counts;
    registry.getPrometheusRegistry().register(counts);
  }

  @Override
  public void decided(Policy policy, Decision decision, long nanos) {
    Limit binding = decision.binding().orElse(null);
    Meters meters = of(policy.name());
    meters.count(binding == null ? NO_LIMIT : binding.name(), Outcome.of(decision));
    meters.times.record(nanos);
  }

  @Override
  public void storeFailed(Policy policy, StoreUnavailableException failure) {
    Counter.builder("sluice.store.failures")
        .description("Decisions that the store did not make")
        .tag("reason", failure.reason())
        .register(registry)
        .increment();
  }

  @Override
  public void invalid(Policy policy, IllegalArgumentException problem) {
    of(policy.name()).count(NO_LIMIT, Outcome.INVALID);
  }

  private Meters of(String policy) {
    Meters known = policies.get(policy);
    return known != null ? known : policies.computeIfAbsent(policy, this::meters);
  }

  private Meters meters(String policy) {
    return new Meters(times.of(Labels.of("policy", policy)), new ConcurrentHashMap<>());
  }

  private MetricSnapshots counts() {
    CounterSnapshot.Builder counter =
        CounterSnapshot.builder()
            .name("sluice_decisions")
            .help("Decisions by policy, binding limit and outcome");
    policies.forEach(
        (policy, meters) ->
            meters.limits.forEach(
                (limit, counts) ->
                    counts.forEach(
                        (outcome, count) -> addTo(counter, policy, limit, outcome, count.sum()))));
    CounterSnapshot counted = counter.build();
    return counted.getDataPoints().isEmpty() ? MetricSnapshots.of() : MetricSnapshots.of(counted);
  }

  /** An outcome that there never was is not told: most limits have one or two. */
  private static void addTo(
      CounterSnapshot.Builder counter, String policy, String limit, Outcome outcome, long count) {
    if (count > 0) {
      String told = outcome.name().toLowerCase(Locale.ROOT);
      counter.dataPoint(
          CounterSnapshot.CounterDataPointSnapshot.builder()
              .labels(Labels.of("limit", limit, "outcome", told, "policy", policy))
              .value((double) count)
              .build());
    }
  }
}
