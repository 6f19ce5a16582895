package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.testkit.RunningApp;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring routes by what stands between slashes, whatever a server would make of it. */
class SpellingTest {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @RestController
  static class LoginApp {
    @GetMapping("/api/{version}/login")
    String login() {
      return "hello";
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void noSpellingReachesAHandlerPastItsRule(WebApplicationType type) {
    try (RunningApp app =
        RunningApp.start(
            type,
            LoginApp.class,
            "sluice.policies.api.limits[0]=1/h",
            "sluice.rules[0].path=/api/**",
            "sluice.rules[0].policy=api")) {
      assertThat(app.get("/api/1/login").statusCode()).isEqualTo(200);
      for (String path :
          List.of(
              "/api/2/login",
              "/api/../login",
              "/api/%2e%2e/login",
              "/api/..;v=1/login",
              "/api/x%2f..%2f../login",
              "/api/..%5c../login")) {
        assertThat(app.get(path).statusCode()).as(path).isIn(429, 400);
      }
    }
  }
}
