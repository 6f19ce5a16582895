package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.testkit.RunningApp;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Rules from properties, through Tomcat with MVC and through Netty with WebFlux. */
class EdgeTest {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @RestController
  static class App {
    @GetMapping({"/hello", "/free", "/orders/7"})
    String hello() {
      return "hello";
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void requestsOverTheLimitAreAnswered429(WebApplicationType type) {
    try (RunningApp app =
        RunningApp.start(
            type,
            App.class,
            "sluice.policies.api.limits[0]=2/h burst 2",
            "sluice.rules[0].path=/free",
            "sluice.rules[0].exempt=true",
            "sluice.rules[1].path=/**",
            "sluice.rules[1].policy=api")) {
      HttpResponse<String> first = app.get("/hello");
      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.body()).isEqualTo("hello");
      assertThat(first.headers().firstValue("RateLimit-Policy"))
          .hasValue("\"token-bucket\";q=2;w=3600");
      assertThat(first.headers().firstValue("RateLimit")).hasValue("\"token-bucket\";r=1;t=1800");
      assertThat(first.headers().firstValue("X-RateLimit-Limit")).hasValue("2");
      assertThat(first.headers().firstValue("X-RateLimit-Remaining")).hasValue("1");
      assertThat(first.headers().firstValue("X-RateLimit-Reset")).hasValue("1800");
      assertThat(first.headers().firstValue("Retry-After")).isEmpty();
      assertThat(app.get("/hello").statusCode()).isEqualTo(200);

      HttpResponse<String> denied = app.get("/hello");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
      assertThat(denied.headers().firstValue("Retry-After")).isPresent();
      assertThat(denied.body()).contains("#quota-exceeded", "\"violated-policies\"");

      assertThat(app.get("/free").statusCode()).isEqualTo(200);
      assertThat(app.get("/free").headers().firstValue("RateLimit")).isEmpty();
    }
  }
}
