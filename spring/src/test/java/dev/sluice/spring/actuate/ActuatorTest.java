package dev.sluice.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.testkit.HelloApp;
import dev.sluice.spring.testkit.RunningApp;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** The endpoint, the health and the metrics, asked over HTTP. */
class ActuatorTest {
  @ParameterizedTest
  @EnumSource(names = {"SERVLET", "REACTIVE"})
  void operatorsSeeAndReset(WebApplicationType type) {
    try (RunningApp app =
        RunningApp.start(
            type,
            HelloApp.class,
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always",
            "sluice.policies.api.limits[0]=2/h",
            "sluice.policies.api.keys[header:x-user:root].unlimited=true",
            "sluice.rules[0].path=/hello",
            "sluice.rules[0].policy=api",
            "sluice.rules[0].key=header:X-User")) {
      app.get("/hello", "X-User", "a/b");
      app.get("/hello", "X-User", "a/b");
      assertThat(app.get("/hello", "X-User", "a/b").statusCode()).isEqualTo(429);

      assertThat(app.get("/actuator/sluice").body())
          .contains(
              "\"name\":\"api\",\"limits\":[\"token-bucket: token-bucket 2 per 1h\"]",
              "\"keys\":{\"header:x-user:root\":\"unlimited\"}",
              "\"onStoreFailure\":\"allow\"",
              "\"top\":[{\"key\":\"header:x-user:a/b\",\"denied\":1}]");
      assertThat(app.get("/actuator/sluice/api").body()).contains("\"name\":\"api\"");
      assertThat(app.get("/actuator/sluice/nothing").statusCode()).isEqualTo(404);
      assertThat(app.get("/actuator/sluice/api/header:x-user:a/b").body())
          .contains("\"allowed\":false", "\"binding\":\"token-bucket\"", "\"remaining\":0");
      HttpResponse<String> reset = app.send("DELETE", "/actuator/sluice/api/header:x-user:a/b");
      assertThat(reset.statusCode()).isEqualTo(200);
      assertThat(reset.body()).contains("\"allowed\":true", "\"resetAfterMillis\":0");
      assertThat(app.get("/hello", "X-User", "a/b").statusCode()).isEqualTo(200);

      assertThat(app.get("/actuator/health").body())
          .contains("\"sluice\":{\"details\":{\"store\":\"memory");
      assertThat(app.get("/actuator/prometheus").body())
          .contains(
              "sluice_decisions_total{limit=\"token-bucket\",outcome=\"allowed\",policy=\"api\"} 3.0",
              "sluice_decisions_total{limit=\"token-bucket\",outcome=\"denied\",policy=\"api\"} 1.0",
              "sluice_decision_seconds_bucket",
              "sluice_decision_seconds_count 4",
              "sluice_keys 1.0")
          .doesNotContain("x-user");
    }
  }
}
