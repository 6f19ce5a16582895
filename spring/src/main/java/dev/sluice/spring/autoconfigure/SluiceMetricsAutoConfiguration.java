package dev.sluice.spring.autoconfigure;

import dev.sluice.Sluice;
import dev.sluice.spring.metrics.DecisionMetrics;
import dev.sluice.spring.metrics.StoreMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Metrics, where the application has a registry. Stands before {@link SluiceAutoConfiguration},
 * which collects the listeners. The two names are those of Boot 4 and of Boot 3.
 */
@AutoConfiguration(
    before = SluiceAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
public final class SluiceMetricsAutoConfiguration {
  /** Made by Spring. */
  SluiceMetricsAutoConfiguration() {}

  /** Counts decisions. */
  @Bean
  @ConditionalOnMissingBean
  DecisionMetrics sluiceDecisionMetrics(MeterRegistry registry) {
    return new DecisionMetrics(registry);
  }

  /** Counts keys. */
  @Bean
  @ConditionalOnMissingBean
  StoreMetrics sluiceStoreMetrics(Sluice sluice) {
    return new StoreMetrics(sluice);
  }
}
