package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.http.ClientAddress;
import dev.sluice.http.LimitRule;
import dev.sluice.http.LimitRules;
import dev.sluice.http.RequestKey;
import dev.sluice.http.RequestLimiter;
import dev.sluice.spring.testkit.HelloApp;
import dev.sluice.spring.testkit.RunningApp;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application whose requests are decided by a limiter of its own. */
class OwnLimiterTest {
  @Configuration(proxyBeanMethods = false)
  @Import(HelloApp.class)
  static class App {
    @Bean
    RequestLimiter limiter(Sluice sluice) {
      RequestKey address = RequestKey.address(ClientAddress.ofPeer());
      return new RequestLimiter(
          sluice, LimitRules.of(LimitRule.path("/own").check("api", address)));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void isAskedInPlaceOfTheProperties(WebApplicationType type) {
    try (RunningApp app = RunningApp.start(type, App.class, "sluice.policies.api.limits[0]=1/h")) {
      assertThat(app.get("/own").statusCode()).isEqualTo(200);
      assertThat(app.get("/own").statusCode()).isEqualTo(429);
    }
  }
}
