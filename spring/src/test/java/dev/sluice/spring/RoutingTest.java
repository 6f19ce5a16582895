package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import dev.sluice.http.HttpRequestView;
import dev.sluice.http.LimitRule;
import dev.sluice.http.LimitRules;
import dev.sluice.http.RequestKey;
import dev.sluice.http.RequestLimiter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.server.PathContainer;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/** A rule is written as the mapping of a handler is, and must hold for all that this takes. */
class RoutingTest {
  private static final List<String> PARTS =
      List.of("", "/", "/files", "/a", "/x.css", "/.", "/..", "/;v=1", "/a;v=1", "/a%2Fb", "/%3B");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/*",
        "/**",
        "/files",
        "/files/",
        "/files/*",
        "/files/**",
        "/files/{name}",
        "/files/{name:[a-z]+}",
        "/files/a*",
        "/files/*.css",
        "/files/*/a",
        "/files/*/**",
        "/files/{name}/*",
        "/*/*"
      })
  void aRuleMatchesAllThatSpringMatches(String pattern) {
    PathPattern mapping = new PathPatternParser().parse(pattern);
    try (Sluice sluice = Sluice.inMemory()) {
      sluice.limiter("api", Limit.slidingLog(10_000, Duration.ofHours(1)));
      RequestLimiter limiter =
          new RequestLimiter(
              sluice, LimitRules.of(LimitRule.path(pattern).check("api", RequestKey.everyone())));
      assertThat(paths().filter(path -> mapping.matches(PathContainer.parsePath(path))))
          .isNotEmpty()
          .allSatisfy(
              path -> assertThat(limiter.check(new Sent(path)).decisions()).as(path).hasSize(1));
    }
  }

  private static Stream<String> paths() {
    return PARTS.stream()
        .flatMap(a -> PARTS.stream().flatMap(b -> PARTS.stream().map(c -> a + b + c)))
        .distinct();
  }

  private record Sent(String path) implements HttpRequestView {
    @Override
    public String method() {
      return "GET";
    }

    @Override
    public List<String> headers(String name) {
      return List.of();
    }

    @Override
    public Optional<String> remoteAddress() {
      return Optional.empty();
    }
  }
}
