package dev.sluice.server.metrics;

import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.RedisStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

/** What each kind of store has to tell of itself. */
public final class StoreMetrics {
  private StoreMetrics() {}

  /** Registers the figures of a store. */
  public static void bind(Store store, MeterRegistry registry) {
    if (store instanceof InMemoryStore memory) {
      Gauge.builder("sluice.keys", memory, InMemoryStore::size)
          .description("Keys that the memory store holds")
          .register(registry);
    } else if (store instanceof RedisStore redis) {
      Gauge.builder("sluice.breaker.state", redis, StoreMetrics::breaker)
          .description("0: the store is asked, 1: one call finds out, 2: it is left alone")
          .register(registry);
      FunctionCounter.builder("sluice.store.state.losses", redis, r -> r.health().stateLosses())
          .description("How often another server process answered than before")
          .register(registry);
    }
  }

  private static double breaker(RedisStore redis) {
    return switch (redis.health().breaker()) {
      case CLOSED -> 0;
      case HALF_OPEN -> 1;
      case OPEN -> 2;
    };
  }
}
