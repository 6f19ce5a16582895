package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.spring.testkit.RunningApp;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A permit that a request holds is free when its response has ended, whichever way it ends. */
class HeldPermitsTest {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @RestController
  static class Jobs {
    @GetMapping("/quick")
    String quick() {
      return "done";
    }

    @GetMapping("/throws")
    String fails() {
      throw new IllegalStateException("on purpose");
    }

    @GetMapping("/error")
    Mono<String> error() {
      return Mono.error(new IllegalStateException("on purpose"));
    }

    @GetMapping("/times-out")
    Mono<String> timesOut() {
      return Mono.<String>never().timeout(Duration.ofMillis(10));
    }

    @GetMapping(path = "/streams", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    Flux<Long> streams() {
      return Flux.interval(Duration.ofMillis(10)).onBackpressureDrop();
    }
  }

  private static RunningApp start(WebApplicationType type) {
    return RunningApp.start(
        type,
        Jobs.class,
        "sluice.policies.jobs.limits[0].algorithm=concurrency",
        "sluice.policies.jobs.limits[0].permits=1",
        "sluice.policies.jobs.limits[0].lease=1h",
        "sluice.rules[0].path=/**",
        "sluice.rules[0].policy=jobs",
        "sluice.rules[0].key=everyone");
  }

  private static void awaitFreePermit(RunningApp app) {
    RateLimiter jobs = app.bean(Sluice.class).limiter("jobs").orElseThrow();
    await().until(() -> jobs.peek("all").remaining() == 1);
  }

  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void itIsFreeAfterAnErrorATimeoutAndAClientThatLeaves(WebApplicationType type) throws Exception {
    try (RunningApp app = start(type)) {
      for (String path : new String[] {"/quick", "/throws", "/error", "/times-out"}) {
        assertThat(app.get(path).statusCode()).as(path).isNotEqualTo(429);
        awaitFreePermit(app);
      }
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
        client
            .getOutputStream()
            .write("GET /streams HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(client.getInputStream().read()).isEqualTo('H');
        assertThat(app.get("/quick").statusCode()).isEqualTo(429);
      }
      awaitFreePermit(app);
    }
  }
}
