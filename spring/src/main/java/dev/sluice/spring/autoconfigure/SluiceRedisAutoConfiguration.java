package dev.sluice.spring.autoconfigure;

import static dev.sluice.spring.config.InvalidConfigurationException.explained;

import dev.sluice.Sluice;
import dev.sluice.redis.RedisOptions;
import dev.sluice.redis.RedisStore;
import dev.sluice.spring.config.SluiceProperties;
import dev.sluice.spring.redis.AddressStores;
import dev.sluice.spring.redis.ApplicationStores;
import dev.sluice.spring.redis.RedisMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Counting in Redis, where the application has {@code sluice-redis}. */
@AutoConfiguration(before = SluiceAutoConfiguration.class)
@ConditionalOnClass(RedisStore.class)
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SluiceProperties.class)
public final class SluiceRedisAutoConfiguration {
  /** Made by Spring. */
  SluiceRedisAutoConfiguration() {}

  /** Redis at an address. */
  @Bean
  @ConditionalOnMissingBean
  AddressStores sluiceAddressStores(SluiceProperties properties) {
    return new AddressStores(options(properties));
  }

  private static RedisOptions options(SluiceProperties properties) {
    RedisOptions timed =
        explained(
            "sluice.store-deadline",
            "Choose a time such as 20ms",
            () -> RedisOptions.defaults().withDeadline(properties.storeDeadline()));
    return explained(
        "sluice.denials-held",
        "Choose a time such as 20ms, or 0 to ask every time",
        () -> timed.withDenialsHeld(properties.denialsHeld()));
  }

  /** The application's own Redis. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(LettuceConnectionFactory.class)
  static class OfTheApplication {
    @Bean
    @ConditionalOnMissingBean
    ApplicationStores sluiceApplicationStores(
        ObjectProvider<LettuceConnectionFactory> factory, SluiceProperties properties) {
      return new ApplicationStores(factory::getIfAvailable, options(properties));
    }
  }

  /** Whether Redis is asked. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  static class Metrics {
    @Bean
    @ConditionalOnMissingBean
    RedisMetrics sluiceRedisMetrics(Sluice sluice) {
      return new RedisMetrics(sluice);
    }
  }
}
