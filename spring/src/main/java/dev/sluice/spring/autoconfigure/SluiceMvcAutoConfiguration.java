package dev.sluice.spring.autoconfigure;

import dev.sluice.Sluice;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.http.RequestLimiter;
import dev.sluice.servlet.RateLimitFilter;
import dev.sluice.spring.config.SluiceProperties;
import dev.sluice.spring.security.VerifiedClaims;
import dev.sluice.spring.web.RateLimitExceptionResolver;
import jakarta.servlet.DispatcherType;
import java.util.Optional;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerExceptionResolver;

/** Limits the requests of servlet applications. */
@AutoConfiguration(after = SluiceAutoConfiguration.class)
@ConditionalOnBean(Sluice.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
public final class SluiceMvcAutoConfiguration {
  /** Made by Spring. */
  SluiceMvcAutoConfiguration() {}

  /** The filter, with the properties' headers and the application's verified claims. */
  @Bean
  @ConditionalOnMissingBean
  RateLimitFilter sluiceFilter(
      RequestLimiter limiter, RateLimitHeaders headers, VerifiedClaims claims) {
    return RateLimitFilter.of(limiter)
        .headers(headers)
        .claims(
            (request, name) ->
                Optional.ofNullable(request.getUserPrincipal())
                    .flatMap(user -> claims.of(user, name)));
  }

  /** Where the filter stands: on every path, since the rules choose. */
  @Bean
  @ConditionalOnMissingBean(name = "sluiceFilterRegistration")
  FilterRegistrationBean<RateLimitFilter> sluiceFilterRegistration(
      RateLimitFilter filter, SluiceProperties properties) {
    FilterRegistrationBean<RateLimitFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setEnabled(properties.filter().enabled());
    registration.setOrder(properties.filter().order());
    registration.setDispatcherTypes(DispatcherType.REQUEST);
    return registration;
  }

  /** What {@code @RateLimited} throws, where the application does not handle it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HandlerExceptionResolver.class)
  static class Exceptions {
    @Bean
    @ConditionalOnMissingBean
    RateLimitExceptionResolver sluiceExceptionResolver(RateLimitHeaders headers) {
      return new RateLimitExceptionResolver(headers);
    }
  }
}
