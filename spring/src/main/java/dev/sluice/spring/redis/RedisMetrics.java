package dev.sluice.spring.redis;

import dev.sluice.Sluice;
import dev.sluice.redis.RedisStore;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * {@code sluice.breaker.state}: 0 while Redis is asked, 1 on probation, 2 while it is not asked.
 */
public final class RedisMetrics implements MeterBinder {
  private final Sluice sluice;

  /** Metrics of the store of these limits, if it is in Redis. */
  public RedisMetrics(Sluice sluice) {
    this.sluice = sluice;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    if (sluice.store() instanceof RedisStore redis) {
      Gauge.builder("sluice.breaker.state", redis, RedisMetrics::state)
          .description("0: the store is asked, 1: on probation, 2: not asked")
          .register(registry);
    }
  }

  private static int state(RedisStore store) {
    return switch (store.health().breaker()) {
      case CLOSED -> 0;
      case HALF_OPEN -> 1;
      case OPEN -> 2;
    };
  }
}
