package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.spring.testkit.ApacheBench;
import dev.sluice.spring.testkit.HelloApp;
import dev.sluice.spring.testkit.RunningApp;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
      String report = ApacheBench.run(1200, 40, app.uri("/hello"));
      assertThat(statuses(report, "200")).isEqualTo(1000);
      assertThat(statuses(report, "429")).isEqualTo(200);
      // Each permit was handed out once: 999, 998 … 0 left; the denied all saw 0.
      assertThat(remaining(report, "200"))
          .isEqualTo(IntStream.range(0, 1000).boxed().collect(Collectors.toSet()));
      assertThat(remaining(report, "429")).isEqualTo(Set.of(0));
      assertThat(count(report, "(?mi)^Retry-After: \\d+\\r?$")).isEqualTo(200);
      assertThat(count(report, "(?mi)^RateLimit-Policy: \"sliding-log\";q=1000;w=3600\\r?$"))
          .isEqualTo(1200);
    }
  }

  private static long statuses(String report, String status) {
    return count(report, "(?m)^HTTP/1\\.[01] " + status + " ");
  }

  private static long count(String report, String regex) {
    return Pattern.compile(regex).matcher(report).results().count();
  }

  private static Set<Integer> remaining(String report, String status) {
    return Pattern.compile("(?msi)^HTTP/1\\.[01] " + status + " .*?^X-RateLimit-Remaining: (\\d+)")
        .matcher(report)
        .results()
        .map((MatchResult found) -> Integer.valueOf(found.group(1)))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
