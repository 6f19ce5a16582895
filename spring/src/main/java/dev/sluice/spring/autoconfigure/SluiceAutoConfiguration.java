package dev.sluice.spring.autoconfigure;

import dev.sluice.DecisionListener;
import dev.sluice.Policy;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.StoreProvider;
import dev.sluice.http.ClientAddress;
import dev.sluice.http.LimitRules;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.http.RequestLimiter;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.spring.config.EdgeReader;
import dev.sluice.spring.config.InvalidConfigurationException;
import dev.sluice.spring.config.KeyPatterns;
import dev.sluice.spring.config.KeysAsWritten;
import dev.sluice.spring.config.PolicyReader;
import dev.sluice.spring.config.SluiceProperties;
import dev.sluice.spring.security.TokenClaims;
import dev.sluice.spring.security.VerifiedClaims;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;
import org.springframework.util.ClassUtils;

/** The store, the policies and the rules; with nothing configured, the memory store and no rule. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "sluice.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SluiceProperties.class)
public final class SluiceAutoConfiguration {
  private static final Logger log = LoggerFactory.getLogger(SluiceAutoConfiguration.class);

  /** Made by Spring. */
  SluiceAutoConfiguration() {}

  /** Static, because it is needed before any properties are read. */
  @Bean
  static KeysAsWritten sluiceKeysAsWritten() {
    return new KeysAsWritten();
  }

  /** The store that {@code sluice.store} names, unless the application has one of its own. */
  @Bean
  @ConditionalOnMissingBean({Store.class, Sluice.class})
  Store sluiceStore(SluiceProperties properties, ObjectProvider<StoreProvider> providers) {
    return InvalidConfigurationException.explained(
        "sluice.store",
        storeAction(properties.store()),
        () ->
            providers
                .orderedStream()
                .flatMap(provider -> provider.open(properties.store()).stream())
                .findFirst()
                .orElseGet(() -> Sluice.open(properties.store()).store()));
  }

  private static String storeAction(String address) {
    boolean redis = address.startsWith("redis") || address.equals("application");
    if (redis && !ClassUtils.isPresent("dev.sluice.redis.RedisStore", null)) {
      return "Add the dependency dev.sluice:sluice-redis, which counts in Redis";
    }
    return "Use memory, application for the application's own Redis, or an address such as"
        + " redis://user:password@host:6379";
  }

  /** The policies of the properties and those that are beans, on one store. */
  @Bean
  @ConditionalOnMissingBean
  Sluice sluice(
      Store store,
      SluiceProperties properties,
      ConfigurableEnvironment environment,
      ObjectProvider<Policy> beans,
      ObjectProvider<DecisionListener> listeners) {
    List<Policy> policies =
        new ArrayList<>(new PolicyReader(new KeyPatterns(environment)).read(properties.policies()));
    beans.orderedStream().forEach(policies::add);
    Sluice sluice = Sluice.of(store);
    sluice.policies(policies);
    listeners.orderedStream().forEach(sluice::listener);
    if (store instanceof InMemoryStore) {
      log.info(
          "Sluice counts in the memory of this process, policies {}: other instances count on"
              + " their own (set sluice.store to share limits)",
          policies.stream().map(Policy::name).toList());
    } else {
      log.info(
          "Sluice counts in {}, policies {}", store, policies.stream().map(Policy::name).toList());
    }
    return sluice;
  }

  /** How the address of a client is found. */
  @Bean
  @ConditionalOnMissingBean
  ClientAddress sluiceClientAddress(SluiceProperties properties) {
    return EdgeReader.address(properties.address());
  }

  /** Which policy limits which requests. */
  @Bean
  @ConditionalOnMissingBean
  LimitRules sluiceRules(SluiceProperties properties, ClientAddress address) {
    return EdgeReader.rules(properties.rules(), address);
  }

  /** The headers of limited responses. */
  @Bean
  @ConditionalOnMissingBean
  RateLimitHeaders sluiceHeaders(SluiceProperties properties) {
    return EdgeReader.headers(properties.headers());
  }

  /** Decides requests by the rules. */
  @Bean
  @ConditionalOnMissingBean
  RequestLimiter sluiceRequestLimiter(Sluice sluice, LimitRules rules) {
    return EdgeReader.limiter(sluice, rules);
  }

  /** Claims of tokens, where the application verifies tokens. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(AbstractOAuth2TokenAuthenticationToken.class)
  static class Tokens {
    @Bean
    @ConditionalOnMissingBean(VerifiedClaims.class)
    TokenClaims sluiceTokenClaims() {
      return new TokenClaims();
    }
  }

  /** No claims, where it does not. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingClass(
      "org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken")
  static class NoTokens {
    @Bean
    @ConditionalOnMissingBean
    VerifiedClaims sluiceClaims() {
      return VerifiedClaims.none();
    }
  }
}
