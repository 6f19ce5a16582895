package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeaseMetricsTest {
  @Test
  void tellsOfLeasedPoliciesOnly() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (Sluice sluice = Sluice.inMemory()) {
      sluice.listener(new LeaseMetrics(sluice, registry));
      sluice.limiter("exact", Limit.parse("1000/s")).tryAcquire("k");
      sluice.limiter(leased(Limit.parse("1000/s"))).tryAcquire("k");
      assertThat(registry.scrape().lines().filter(line -> !line.startsWith("#")))
          .containsExactlyInAnyOrder(
              "sluice_leases{policy=\"fast\"} 0.0", "sluice_leases_bound{policy=\"fast\"} 10.0");
      sluice.limiter(leased(Limit.parse("2000/s")));
      assertThat(registry.scrape()).contains("sluice_leases_bound{policy=\"fast\"} 20.0");
    }
  }

  private static Policy leased(Limit limit) {
    return Policy.named("fast").limits(List.of(limit)).tier(Tier.LEASED).build();
  }
}
