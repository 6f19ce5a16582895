package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RateLimitExceededException;
import dev.sluice.spring.RateLimited;
import dev.sluice.spring.testkit.RunningApp;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What a client sees of a denied call inside an application. */
class DeniedCallTest {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Orders.class, Downloads.class, OwnHandler.class})
  static class App {}

  @RestController
  static class Orders {
    @GetMapping("/plain")
    @RateLimited(policy = "one", key = "'plain:' + #user")
    public String plain(@RequestParam String user) {
      return "done on " + Thread.currentThread();
    }

    @GetMapping("/future")
    @RateLimited(policy = "one", key = "'future'")
    public CompletableFuture<String> future() {
      return CompletableFuture.completedFuture("done");
    }

    @GetMapping("/mono")
    @RateLimited(policy = "one", key = "'mono'")
    public Mono<String> mono() {
      return Mono.just("done");
    }

    @GetMapping("/keyless")
    @RateLimited(policy = "one", key = "#user")
    public String keyless(@RequestParam(required = false) String user) {
      return "done";
    }

    // Without a login there is no principal.
    @GetMapping("/nobody")
    @RateLimited(policy = "one", key = "#caller.name")
    public String nobody(Principal caller) {
      return "done";
    }
  }

  @RestController
  static class Downloads {
    @GetMapping("/cost")
    @RateLimited(policy = "one", key = "'cost'", cost = "#permits")
    public String cost(@RequestParam("n") long permits) {
      return "done";
    }

    @GetMapping("/cost-later")
    @RateLimited(policy = "one", key = "'cost'", cost = "#p0")
    public Mono<String> later(@RequestParam("n") double permits) {
      return Mono.just("done");
    }

    @GetMapping("/cost-text")
    @RateLimited(policy = "one", key = "'cost'", cost = "#p0")
    public CompletableFuture<String> text(@RequestParam("n") String permits) {
      return CompletableFuture.completedFuture("done");
    }
  }

  @RestController
  static class OwnHandler {
    @GetMapping("/own")
    @RateLimited(policy = "one", key = "'own'")
    public String own() {
      return "done";
    }

    @ExceptionHandler
    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    public String busy(RateLimitExceededException denial) {
      return "busy, " + denial.decision().policy();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void aDeniedCallIsAnswered429(WebApplicationType type) {
    try (RunningApp app =
        RunningApp.start(
            type,
            App.class,
            "spring.threads.virtual.enabled=true",
            "sluice.policies.one.limits[0]=1/h")) {
      for (String path : new String[] {"/plain?user=ada", "/future", "/mono"}) {
        HttpResponse<String> allowed = app.get(path);
        assertThat(allowed.statusCode()).as(path).isEqualTo(200);
        assertThat(allowed.body()).as(path).startsWith("done");
        HttpResponse<String> denied = app.get(path);
        assertThat(denied.statusCode()).as(path).isEqualTo(429);
        assertThat(denied.headers().firstValue("Content-Type"))
            .hasValue("application/problem+json");
        assertThat(denied.headers().firstValue("Retry-After")).isPresent();
        assertThat(denied.headers().firstValue("RateLimit")).isPresent();
        assertThat(denied.body()).contains("#quota-exceeded").doesNotContain("ada");
      }
      assertThat(app.get("/plain?user=bob").statusCode()).isEqualTo(200);
      assertThat(app.get("/keyless").statusCode()).isEqualTo(400);

      assertThat(app.get("/own").body()).isEqualTo("done");
      HttpResponse<String> own = app.get("/own");
      assertThat(own.statusCode()).isEqualTo(503);
      assertThat(own.body()).isEqualTo("busy, one");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void aDeniedCallIsAnswered429WithoutTheFilterToo(WebApplicationType type) {
    try (RunningApp app =
        RunningApp.start(
            type, App.class, "sluice.filter.enabled=false", "sluice.policies.one.limits[0]=1/h")) {
      assertThat(app.get("/future").statusCode()).isEqualTo(200);
      assertThat(app.get("/future").statusCode()).isEqualTo(429);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void aCallThatCannotBeDecidedIsToldWhy(WebApplicationType type) {
    String cost = "the cost of this request must be a whole number from 1 to 1099511627776, got ";
    Map<String, String> details =
        Map.of(
            "/keyless", "this request does not say who it is, as its limit demands",
            "/nobody", "this request does not say who it is, as its limit demands",
            "/cost?n=0", cost + "0",
            "/cost?n=-1", cost + "-1",
            "/cost?n=1099511627777", cost + "1099511627777",
            "/cost-later?n=1.5", cost + "1.5",
            "/cost-text?n=secret", cost + "something else");
    try (RunningApp app = RunningApp.start(type, App.class, "sluice.policies.one.limits[0]=1/h")) {
      details.forEach(
          (path, detail) -> {
            HttpResponse<String> refused = app.get(path);
            assertThat(refused.body())
                .as(path)
                .isEqualTo(
                    "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
                        + "\"detail\":\"%s\"}",
                    detail);
            assertThat(refused.statusCode()).as(path).isEqualTo(400);
          });
      assertThat(app.get("/cost?n=1").statusCode()).isEqualTo(200);
    }
  }
}
