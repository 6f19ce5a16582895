package dev.sluice.http;

import static dev.sluice.http.LimitRulesTest.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A path that servers and frameworks read in several ways leads past no rule. */
class PathReadingsTest {
  private final Sluice sluice = Sluice.inMemory();

  PathReadingsTest() {
    sluice.limiter("per-user", Limit.slidingLog(2, Duration.ofHours(1)));
    sluice.limiter("api", Limit.slidingLog(10, Duration.ofHours(1)));
  }

  /** Some server, or framework behind one, reads each of these as a path of one of the rules. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        // Spring: dots are a name as any other, an escaped slash is a part of one.
        "/api/../health",
        "/api/%2e%2e/health",
        "/api/..;v=1/other",
        "/api/x/..%2f..%2f../other",
        "/api/..%5cother",
        "/files/a%2Fb",
        "/files/.",
        // Tomcat, Jetty: dots are followed, and what is escaped is a part of a name.
        "/x%2Fy/../files/a",
        "/x%5Cy/../files/a",
        "/x%2Fy%5Cz/%2e%2e/files/a",
        // Tomcat: slashes are decoded and backslashes are not, or the other way round.
        "/x%5Cy%2F..%2Ffiles/a",
        "/x%2Fy%5C..%5Cfiles/a",
        "/x%5Cy\\..\\files/a",
        // Jetty: dots go up from what stands between two slashes, be it nothing.
        "/files//../a",
        "/files/x/;y/../../a"
      })
  void aPathThatCanBeReadInSeveralWaysIsLimited(String path) {
    RequestLimiter limiter = new RequestLimiter(sluice, pathRules());
    assertThat(limiter.check(SentRequest.of("GET", path)).decisions()).hasSize(1);
    assertThat(limiter.checkAsync(SentRequest.of("GET", path)).join().decisions()).hasSize(1);
    assertThat(sluice.limiter("api").orElseThrow().peek("all").remaining()).isEqualTo(8);
  }

  @Test
  void allRulesOfAPathThatCanBeReadInSeveralWaysHold() {
    RequestLimiter limiter =
        new RequestLimiter(
            sluice,
            rules(
                List.of(
                    Map.of("path", "/login", "policy", "api", "key", "everyone", "cost", 2),
                    Map.of("path", "/files/**", "policy", "api", "key", "everyone", "cost", 2),
                    Map.of("path", "/api/**", "policy", "api", "key", "everyone"))));
    limiter.check(SentRequest.of("GET", "/api/../login"));
    assertThat(sluice.limiter("api").orElseThrow().peek("all").remaining()).isEqualTo(7);
    limiter.check(SentRequest.of("GET", "/files/../login"));
    assertThat(sluice.limiter("api").orElseThrow().peek("all").remaining())
        .as("checks that are the same are made once")
        .isEqualTo(5);
  }

  /** To Spring this is a path of {@code /files/*}, to others one of {@code /files}. */
  @Test
  void aSlashAtTheEndLeadsPastNoRule() {
    Map<String, ?> folder = Map.of("path", "/files", "policy", "api", "key", "everyone");
    Map<String, ?> file = Map.of("path", "/files/*", "policy", "per-user", "key", "everyone");
    for (List<Map<String, ?>> ordered : List.of(List.of(folder, file), List.of(file, folder))) {
      RequestLimiter limiter = new RequestLimiter(sluice, rules(ordered));
      assertThat(limiter.check(SentRequest.of("GET", "/files/")).decisions()).hasSize(2);
      assertThat(limiter.check(SentRequest.of("GET", "/files")).decisions()).hasSize(1);
    }
    RequestLimiter limiter =
        new RequestLimiter(
            sluice,
            rules(
                List.of(
                    Map.of("path", "/health", "exempt", true),
                    Map.of("path", "/**", "policy", "api", "key", "everyone"))));
    assertThat(limiter.check(SentRequest.of("GET", "/health/")).decisions()).isEmpty();
  }

  @Test
  void aPathWithOneRuleMayHaveDotsAndEscapedSlashes() {
    RequestLimiter limiter = new RequestLimiter(sluice, pathRules());
    for (String path : List.of("/api/./x", "/api/x/../y", "/api/a%2Fb", "/api/a.b")) {
      assertThat(limiter.check(SentRequest.of("GET", path)).decisions()).as(path).hasSize(1);
    }
    for (String path : List.of("/other/../one", "/other/a%2Fb", "/other/...")) {
      assertThat(limiter.check(SentRequest.of("GET", path))).as(path).isSameAs(Verdict.unchecked());
    }
  }

  private static LimitRules pathRules() {
    return rules(
        List.of(
            Map.of("path", "/health", "exempt", true),
            Map.of("path", "/files/{name}", "policy", "api", "key", "everyone"),
            Map.of("path", "/api/**", "policy", "api", "key", "everyone")));
  }
}
