package dev.sluice.spring.metrics;

import dev.sluice.Policy;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.memory.InMemoryStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * {@code sluice.keys}: how many keys the memory store holds; {@code sluice.leases} and {@code
 * sluice.leases.bound}: permits of a leased policy that this instance took ahead of need, and how
 * many of a key all instances may have.
 */
public final class StoreMetrics implements MeterBinder {
  private final Sluice sluice;

  /** Metrics of the store of these limits. */
  public StoreMetrics(Sluice sluice) {
    this.sluice = sluice;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    if (sluice.store() instanceof InMemoryStore memory) {
      Gauge.builder("sluice.keys", memory, InMemoryStore::size)
          .description("Keys that the memory store holds")
          .register(registry);
    }
    for (Policy policy : sluice.policies()) {
      if (policy.tier() == Tier.LEASED) {
        leases(policy, registry);
      }
    }
  }

  private void leases(Policy policy, MeterRegistry registry) {
    Gauge.builder("sluice.leases", sluice, leases -> leases.leased(policy.name()))
        .description("Permits that this instance took ahead of need")
        .tag("policy", policy.name())
        .register(registry);
    Gauge.builder("sluice.leases.bound", policy, Policy::maxLeased)
        .description("Permits of a key that all instances may have taken ahead of need")
        .tag("policy", policy.name())
        .register(registry);
  }
}
