package dev.sluice.spring;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.spring.testkit.HelloApp;
import dev.sluice.spring.testkit.RunningApp;
import dev.sluice.testkit.ApacheBench;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;

/**
 * 1200 requests, 40 at once, to a limit of 1000: exactly 1000 pass and 200 are denied, and every
 * response says so. The client is not ours.
 */
class SeedScenarioTest {
  @ParameterizedTest
  @CsvSource({"SERVLET, memory", "REACTIVE, memory", "SERVLET, redis", "REACTIVE, redis"})
  void exactlyTheLimitPasses(WebApplicationType type, String store) throws Exception {
    if (!ApacheBench.isThere()) {
      return;
    }
    if (store.equals("memory")) {
      run(type, "memory");
      return;
    }
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start()) {
      run(type, redis.uri());
    }
  }

  private static void run(WebApplicationType type, String store) throws Exception {
    try (RunningApp app =
        RunningApp.start(
            type,
            HelloApp.class,
            "sluice.store=" + store,
            // A busy machine must not make Redis look out of reach: that would let requests pass.
            "sluice.store-deadline=10s",
            "sluice.policies.api.limits[0].algorithm=sliding-log",
            "sluice.policies.api.limits[0].permits=1000",
            "sluice.policies.api.limits[0].per=1h",
            "sluice.rules[0].path=/hello",
            "sluice.rules[0].policy=api")) {
      ApacheBench.exactlyAThousandPass(app.uri("/hello"), "sliding-log");
    }
  }
}
