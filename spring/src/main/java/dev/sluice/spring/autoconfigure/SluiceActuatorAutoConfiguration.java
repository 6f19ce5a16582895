package dev.sluice.spring.autoconfigure;

import dev.sluice.Sluice;
import dev.sluice.spring.actuate.SluiceEndpoint;
import dev.sluice.spring.actuate.SluiceHealthIndicator;
import dev.sluice.spring.actuate.TopKeys;
import dev.sluice.spring.config.InvalidConfigurationException;
import dev.sluice.spring.config.SluiceProperties;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The actuator endpoint and the health of the store. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(Sluice.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
public final class SluiceActuatorAutoConfiguration {
  /** Made by Spring. */
  SluiceActuatorAutoConfiguration() {}

  /** The endpoint, where the application exposes it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnAvailableEndpoint(SluiceEndpoint.class)
  static class Endpoints {
    @Bean
    @ConditionalOnMissingBean
    TopKeys sluiceTopKeys(SluiceProperties properties) {
      return InvalidConfigurationException.explained(
          "sluice.top-keys",
          "Choose how many keys of each policy are shown, 0 for none",
          () -> new TopKeys(properties.topKeys()));
    }

    @Bean
    @ConditionalOnMissingBean
    SluiceEndpoint sluiceEndpoint(Sluice sluice, TopKeys top) {
      return new SluiceEndpoint(sluice, top);
    }
  }

  /** The health of the store; its classes have another package in Boot 3, where there is none. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  static class StoreHealth {
    @Bean
    @ConditionalOnMissingBean(name = "sluiceHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("sluice")
    SluiceHealthIndicator sluiceHealthIndicator(Sluice sluice) {
      return new SluiceHealthIndicator(sluice);
    }
  }
}
