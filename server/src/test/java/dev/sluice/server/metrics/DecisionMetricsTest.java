package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DecisionMetricsTest {
  private final MockClock clock = new MockClock();
  private final PrometheusMeterRegistry registry = registry();

  private PrometheusMeterRegistry registry() {
    return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
  }

  private static List<String> figures(PrometheusMeterRegistry registry, String name) {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name))
        // Times differ from run to run.
        .filter(line -> !line.contains("_seconds_") || line.contains("_seconds_count"))
        .toList();
  }

  @Test
  void decisionsAreCountedByPolicyLimitAndOutcome() {
    try (Sluice sluice = Sluice.inMemory()) {
      sluice.listener(new DecisionMetrics(registry));
      assertThat(registry.scrape()).isEmpty();
      RateLimiter strict = sluice.limiter("strict", Limit.parse("2/h").name("hourly"));
      Policy.Builder shadow = Policy.named("shadow").limits(List.of(Limit.parse("1/h")));
      RateLimiter lenient = sluice.limiter(shadow.shadow(true).build());
      for (int i = 0; i < 3; i++) {
        strict.tryAcquire("k");
        lenient.tryAcquire("k");
      }
      assertThatThrownBy(() -> strict.tryAcquire("")).isInstanceOf(IllegalArgumentException.class);
      assertThat(figures(registry, "sluice_"))
          .containsExactly(
              "sluice_decision_seconds_count{policy=\"shadow\"} 3",
              "sluice_decision_seconds_count{policy=\"strict\"} 3",
              "sluice_decisions_total{limit=\"hourly\",outcome=\"allowed\",policy=\"strict\"} 2.0",
              "sluice_decisions_total{limit=\"hourly\",outcome=\"denied\",policy=\"strict\"} 1.0",
              "sluice_decisions_total{limit=\"none\",outcome=\"invalid\",policy=\"strict\"} 1.0",
              "sluice_decisions_total{limit=\"token-bucket\",outcome=\"allowed\",policy=\"shadow\"}"
                  + " 1.0",
              "sluice_decisions_total{limit=\"token-bucket\",outcome=\"shadow_denied\","
                  + "policy=\"shadow\"} 2.0");
    }
  }

  /** Dashboards and alerts were made for a timer of Micrometer: not a character may differ. */
  @Test
  void timesAreToldAsATimerOfMicrometerTellsThem() {
    Duration[] bounds =
        Stream.of("0.00001 0.00005 0.0001 0.00025 0.0005 0.001 0.0025 0.005".split(" "))
            .map(seconds -> Duration.ofNanos(Math.round(Double.parseDouble(seconds) * 1e9)))
            .toArray(Duration[]::new);
    Duration[] slow = {
      Duration.ofMillis(10),
      Duration.ofMillis(20),
      Duration.ofMillis(50),
      Duration.ofMillis(100),
      Duration.ofMillis(500)
    };
    Duration[] all = Stream.of(bounds, slow).flatMap(Stream::of).toArray(Duration[]::new);
    PrometheusMeterRegistry theirs = registry();
    Times times =
        new TimesCollector("sluice_x_seconds", "How long x took", registry)
            .of(Labels.of("policy", "p\"q"));
    Timer timer =
        Timer.builder("sluice.x")
            .description("How long x took")
            .tag("policy", "p\"q")
            .serviceLevelObjectives(all)
            .register(theirs);
    assertThat(registry.scrape()).isEqualTo(theirs.scrape());
    for (Duration bound : all) {
      for (long nanos : new long[] {0, bound.toNanos() - 1, bound.toNanos(), bound.toNanos() + 1}) {
        times.record(nanos);
        timer.record(nanos, TimeUnit.NANOSECONDS);
      }
      clock.add(Duration.ofSeconds(7));
      assertThat(registry.scrape()).isEqualTo(theirs.scrape());
    }
    times.record(100);
    timer.record(100, TimeUnit.NANOSECONDS);
    for (int i = 0; i < 20; i++) {
      clock.add(Duration.ofSeconds(19));
      assertThat(registry.scrape()).isEqualTo(theirs.scrape());
    }
    assertThat(registry.scrape()).contains("sluice_x_seconds_max{policy=\"p\\\"q\"} 0.0\n");
  }
}
