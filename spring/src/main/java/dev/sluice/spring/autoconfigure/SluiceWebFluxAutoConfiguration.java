package dev.sluice.spring.autoconfigure;

import dev.sluice.Sluice;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.http.RequestLimiter;
import dev.sluice.spring.config.SluiceProperties;
import dev.sluice.spring.security.VerifiedClaims;
import dev.sluice.spring.webflux.RateLimitExceptionHandler;
import dev.sluice.spring.webflux.RateLimitWebFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/** Limits the requests of reactive applications. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(Sluice.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
public final class SluiceWebFluxAutoConfiguration {
  /** Made by Spring. */
  SluiceWebFluxAutoConfiguration() {}

  /** The filter, with the properties' headers and the application's verified claims. */
  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnBooleanProperty(name = "sluice.filter.enabled", matchIfMissing = true)
  RateLimitWebFilter sluiceWebFilter(
      RequestLimiter limiter,
      RateLimitHeaders headers,
      VerifiedClaims claims,
      SluiceProperties properties) {
    return new RateLimitWebFilter(limiter, headers, claims, properties.filter().order());
  }

  /** What {@code @RateLimited} fails with, where the application does not handle it. */
  @Bean
  @ConditionalOnMissingBean
  RateLimitExceptionHandler sluiceExceptionHandler(RateLimitHeaders headers) {
    return new RateLimitExceptionHandler(headers);
  }
}
