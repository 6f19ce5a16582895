package dev.sluice.spring.autoconfigure;

import dev.sluice.Sluice;
import dev.sluice.spring.method.RateLimitedPostProcessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Limits the calls of methods with {@link dev.sluice.spring.RateLimited}. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(Sluice.class)
public final class RateLimitedAutoConfiguration {
  /** Made by Spring. */
  RateLimitedAutoConfiguration() {}

  /** Static and lazy in what it needs: it is made before all other beans. */
  @Bean
  @ConditionalOnMissingBean
  @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
  static RateLimitedPostProcessor sluiceRateLimitedPostProcessor(ObjectProvider<Sluice> sluice) {
    return new RateLimitedPostProcessor(sluice::getObject);
  }
}
