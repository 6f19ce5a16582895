package dev.sluice.spring.metrics;

import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** {@code sluice.keys}: how many keys the memory store holds. */
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
  }
}
