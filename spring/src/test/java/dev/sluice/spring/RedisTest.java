package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.spring.testkit.HelloApp;
import dev.sluice.spring.testkit.RunningApp;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** Two applications on one real Redis, and what they say when it is gone. */
class RedisTest {
  private static RunningApp start(WebApplicationType type, String... store) {
    String[] rules = {
      "management.endpoints.web.exposure.include=*",
      "management.endpoint.health.show-details=always",
      "management.health.redis.enabled=false",
      "sluice.store-deadline=2s",
      "sluice.policies.api.limits[0]=2/h",
      "sluice.policies.strict.limits[0]=1000/h",
      "sluice.policies.strict.on-store-failure=deny",
      "sluice.rules[0].path=/strict",
      "sluice.rules[0].policy=strict",
      "sluice.rules[1].path=/hello",
      "sluice.rules[1].policy=api"
    };
    String[] all = java.util.Arrays.copyOf(rules, rules.length + store.length);
    System.arraycopy(store, 0, all, rules.length, store.length);
    return RunningApp.start(type, HelloApp.class, all);
  }

  @Test
  void applicationsShareTheirLimitsAndOutliveTheStore() {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        RunningApp one = start(WebApplicationType.SERVLET, "sluice.store=" + redis.uri());
        RunningApp other =
            start(
                WebApplicationType.REACTIVE,
                "sluice.store=application",
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port())) {
      assertThat(one.get("/hello").statusCode()).isEqualTo(200);
      assertThat(other.get("/hello").statusCode()).isEqualTo(200);
      assertThat(one.get("/hello").statusCode()).isEqualTo(429);
      assertThat(other.get("/hello").statusCode()).isEqualTo(429);
      assertThat(one.get("/strict").statusCode()).isEqualTo(200);
      assertThat(one.get("/actuator/health").body()).contains("\"status\":\"UP\"");
      assertThat(one.get("/actuator/prometheus").body()).contains("sluice_breaker_state 0.0");

      redis.kill9();
      for (RunningApp app : new RunningApp[] {one, other}) {
        // A failed store is never a denial: allowed here, 503 there.
        await().atMost(60, TimeUnit.SECONDS).until(() -> app.get("/hello").statusCode() == 200);
        assertThat(app.get("/strict").statusCode()).isEqualTo(503);
        assertThat(app.get("/actuator/health").statusCode()).isEqualTo(200);
        assertThat(app.get("/actuator/health").body()).contains("\"status\":\"DEGRADED\"");
        // Nothing is told of a key that the store did not look at, nor is it said to be reset.
        assertThat(app.get("/actuator/sluice/api/ip:127.0.0.1").body())
            .contains("\"degraded\":true");
        for (String policy : new String[] {"api", "strict"}) {
          String key = "/actuator/sluice/" + policy + "/ip:127.0.0.1";
          assertThat(app.send("DELETE", key).statusCode()).as(policy).isEqualTo(503);
        }
        assertThat(app.get("/actuator/prometheus").body())
            .contains("outcome=\"degraded\"", "sluice_store_failures_total{reason=");
      }
    }
  }

  @Test
  void thePasswordOfTheApplicationsRedisIsUsed() {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).password("secret").start();
        RunningApp app =
            start(
                WebApplicationType.SERVLET,
                "sluice.store=application",
                "spring.data.redis.password=secret",
                "spring.data.redis.port=" + redis.port())) {
      assertThat(app.get("/hello").statusCode()).isEqualTo(200);
      assertThat(app.get("/actuator/sluice").body()).doesNotContain("secret");
      assertThat(app.get("/actuator/health").body()).contains("\"status\":\"UP\"");
    }
  }
}
