package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Policy;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@code sluice_leases}: permits that this process took ahead of need, by policy; and {@code
 * sluice_leases_bound}: how many of a key all processes may have in hand together. A policy is
 * known from its first decision on.
 */
public final class LeaseMetrics implements DecisionListener {
  private final Sluice sluice;
  private final MeterRegistry registry;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /** Metrics in a registry. */
  public LeaseMetrics(Sluice sluice, MeterRegistry registry) {
    this.sluice = sluice;
    this.registry = registry;
  }

  @Override
  public void decided(Policy policy, Decision decision, long nanos) {
    if (policy.tier() == Tier.LEASED && known.add(policy.name())) {
      register(policy.name());
    }
  }

  private void register(String policy) {
    Gauge.builder("sluice.leases", sluice, leases -> leases.leased(policy))
        .description("Permits that this process took ahead of need")
        .tag("policy", policy)
        .register(registry);
    Gauge.builder("sluice.leases.bound", sluice, leases -> bound(leases, policy))
        .description("Permits of a key that all processes may have taken ahead of need")
        .tag("policy", policy)
        .register(registry);
  }

  private static long bound(Sluice sluice, String policy) {
    return sluice.limiter(policy).map(limiter -> limiter.policy().maxLeased()).orElse(0L);
  }
}
