package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestLimiterTest {
  private final Sluice sluice = Sluice.inMemory();

  RequestLimiterTest() {
    sluice.limiter("per-address", Limit.slidingLog(5, Duration.ofHours(1)));
    sluice.limiter("per-user", Limit.slidingLog(2, Duration.ofHours(1)).name("by-user"));
    sluice.limiter("api", Limit.slidingLog(10, Duration.ofHours(1)));
  }

  private static LimitRules rules(Map<String, ?> rule) {
    return rules(List.of(rule));
  }

  private static LimitRules rules(List<Map<String, ?>> rules) {
    return LimitRules.parse(rules, ClientAddress.ofPeer());
  }

  private static SentRequest login(String user) {
    SentRequest request = SentRequest.of("POST", "/login").address("203.0.113.7");
    return user.isEmpty() ? request : request.header("X-User", user);
  }

  private static Map<String, ?> loginRule(String onMissing) {
    return Map.of(
        "path",
        "/login",
        "methods",
        "POST",
        "checks",
        List.of(
            Map.of("policy", "per-address", "key", "address"),
            Map.of("policy", "per-user", "key", "header:X-User|email", "on-missing", onMissing)));
  }

  @Test
  void addressAndUserAreLimitedTogetherAndADenialChargesNeither() {
    RequestLimiter limiter = new RequestLimiter(sluice, rules(loginRule("deny")));
    assertThat(limiter.check(login("a@b.c")).passes()).isTrue();
    assertThat(limiter.check(login("A@B.C ")).passes()).isTrue();
    Verdict denied = limiter.check(login("a@b.c"));
    assertThat(denied.problem().orElseThrow().status()).isEqualTo(429);
    assertThat(denied.binding().orElseThrow().policy()).isEqualTo("per-user");
    assertThat(sluice.limiter("per-address").orElseThrow().peek("ip:203.0.113.7").remaining())
        .isEqualTo(3);
    for (int i = 0; i < 3; i++) {
      assertThat(limiter.check(login("other" + i)).passes()).isTrue();
    }
    assertThat(limiter.check(login("one-more")).binding().orElseThrow().policy())
        .isEqualTo("per-address");
  }

  @Test
  void aMissingKeyIsDeniedByDefaultAndChargesNothing() {
    RequestLimiter limiter = new RequestLimiter(sluice, rules(loginRule("deny")));
    Verdict refused = limiter.check(login(""));
    assertThat(refused.problem().orElseThrow())
        .hasToString("400 Bad Request: this request does not say who it is, as its limit demands");
    assertThat(refused.decisions()).isEmpty();
    assertThat(sluice.limiter("per-address").orElseThrow().peek("ip:203.0.113.7").remaining())
        .isEqualTo(5);
  }

  @Test
  void thoseWhoDoNotSayMayShareOneKey() {
    RequestLimiter limiter = new RequestLimiter(sluice, rules(loginRule("anonymous")));
    assertThat(limiter.check(login("")).passes()).isTrue();
    assertThat(limiter.check(login("")).passes()).isTrue();
    assertThat(limiter.check(login("")).passes()).isFalse();
    assertThat(limiter.check(login("anonymous")).passes()).isTrue();
  }

  @Test
  void aCheckMayBeLeftOutWhereTheOthersStillCount() {
    RequestLimiter limiter = new RequestLimiter(sluice, rules(loginRule("skip")));
    for (int i = 0; i < 5; i++) {
      assertThat(limiter.check(login("")).passes()).isTrue();
    }
    assertThat(limiter.check(login("")).passes()).isFalse();
  }

  @Test
  void theFirstRuleThatMatchesAppliesAlone() {
    LimitRules rules =
        rules(
            List.of(
                Map.of("path", "/health", "exempt", true),
                Map.of("path", "/api/cheap", "policy", "api", "key", "everyone", "methods", "GET"),
                Map.of("path", "/api/**", "policy", "api", "key", "everyone", "cost", 4)));
    RequestLimiter limiter = new RequestLimiter(sluice, rules);
    assertThat(limiter.check(SentRequest.of("GET", "/health")).decisions()).isEmpty();
    assertThat(limiter.check(SentRequest.of("GET", "/other")).decisions()).isEmpty();
    Decision cheap = limiter.check(SentRequest.of("HEAD", "/api//cheap/")).decisions().get(0);
    assertThat(cheap.cost()).isEqualTo(1);
    Decision dear = limiter.check(SentRequest.of("POST", "/api/cheap")).decisions().get(0);
    assertThat(dear.cost()).isEqualTo(4);
    assertThat(dear.remaining()).isEqualTo(5);
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

  @Test
  void aRuleIsTheRouteOfFrameworksWithoutRoutes() {
    RequestLimiter limiter =
        new RequestLimiter(
            sluice,
            rules(
                Map.of(
                    "path", "/orders/{id}", "policy", "api", "key", "address + route + method")));
    Verdict verdict = limiter.check(SentRequest.of("GET", "/orders/%37").address("203.0.113.7"));
    assertThat(verdict.decisions().get(0).key())
        .isEqualTo("ip:203.0.113.7|route:/orders/{id}|method:GET");
  }

  @Test
  void aStoreThatFailsUnderDenyIsReducedCapacityNotADenial() {
    try (Sluice broken = Sluice.of(new BrokenStore())) {
      for (OnStoreFailure policy : OnStoreFailure.values()) {
        broken.limiter(
            Policy.named(policy.name())
                .limits(List.of(Limit.parse("1/h")))
                .onStoreFailure(policy)
                .build());
      }
      Verdict refused = ask(broken, "DENY");
      assertThat(refused.problem().orElseThrow().status()).isEqualTo(503);
      assertThat(refused.decisions()).isEmpty();
      assertThat(ask(broken, "ALLOW").passes()).isTrue();
      assertThat(ask(broken, "LOCAL").passes()).isTrue();
      assertThat(ask(broken, "LOCAL").problem().orElseThrow().status()).isEqualTo(429);
    }
  }

  private static Verdict ask(Sluice sluice, String policy) {
    RequestLimiter limiter =
        new RequestLimiter(
            sluice, rules(Map.of("path", "/**", "policy", policy, "key", "everyone")));
    SentRequest request = SentRequest.of("GET", "/");
    Verdict later = limiter.checkAsync(request).join();
    Verdict now = policy.equals("LOCAL") ? later : limiter.check(request);
    assertThat(now.passes()).isEqualTo(later.passes());
    return now;
  }

  @Test
  void permitsAreReleasedAndPlacesGivenBack() {
    sluice.limiter("jobs", Limit.concurrency(1));
    RequestLimiter limiter =
        new RequestLimiter(
            sluice,
            rules(
                List.of(
                    Map.of("path", "/jobs", "policy", "jobs", "key", "everyone"),
                    Map.of("path", "/**", "policy", "per-user", "key", "everyone"))));
    SentRequest job = SentRequest.of("GET", "/jobs");
    Verdict held = limiter.check(job);
    assertThat(limiter.check(job).passes()).isFalse();
    limiter.release(held);
    limiter.release(held);
    assertThat(limiter.check(job).passes()).isTrue();
    assertThat(limiter.check(job).passes()).isFalse();

    Verdict taken = limiter.check(SentRequest.of("GET", "/"));
    limiter.giveBack(taken);
    assertThat(sluice.limiter("per-user").orElseThrow().peek("all").remaining()).isEqualTo(2);
  }

  @Test
  void asynchronousAnswersAreTheSame() {
    RequestLimiter limiter = new RequestLimiter(sluice, rules(loginRule("deny")));
    assertThat(limiter.checkAsync(login("u")).join().decisions()).hasSize(2);
    assertThat(limiter.checkAsync(login("")).join().passes()).isFalse();
    assertThat(limiter.checkAsync(SentRequest.of("GET", "/x")).join().decisions()).isEmpty();
  }

  @Test
  void badRulesAreRefusedWithTheirReason() {
    assertThatThrownBy(() -> rules(Map.of("policy", "api")))
        .hasMessage("rule must have a path, got {policy=api}");
    assertThatThrownBy(() -> rules(Map.of("path", "/a")))
        .hasMessage("rule '/a': must have a check or be exempt, got neither");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "exempt", "true")))
        .hasMessage("rule '/a': must have a check or be exempt, got both");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "exempt", "yes")))
        .hasMessage("rule '/a': exempt must be true or false, got 'yes'");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "key", "ip")))
        .hasMessageStartingWith("rule '/a': key must be address, principal, ");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "key", "address")))
        .hasMessage("rule '/a': a check must name its policy");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "cost", "0")))
        .hasMessage(
            "rule '/a': check of policy 'api': cost must be from 1 to 1099511627776, got 0");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "cost", "1099511627777")))
        .hasMessage(
            "rule '/a': check of policy 'api': cost must be from 1 to 1099511627776, got"
                + " 1099511627777");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "cost", "-1")))
        .hasMessage("rule '/a': cost must be a whole number from 1 to 1099511627776, got '-1'");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "on-missing", "pass")))
        .hasMessage("rule '/a': on-missing must be one of deny, anonymous, skip, got 'pass'");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "method", "GET")))
        .hasMessage(
            "rule '/a': 'method' must be one of [checks, cost, exempt, key, methods, on-missing,"
                + " path, policy]");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "checks", List.of("api"))))
        .hasMessage("rule '/a': checks must be maps, got api");
    assertThatThrownBy(
            () ->
                rules(
                    List.of(
                        Map.of("path", "/a/**", "policy", "api"),
                        Map.of("path", "/a/{id}", "methods", "GET", "policy", "api"))))
        .hasMessage(
            "rule 'GET /a/{id}': must stand before rule '/a/**', which matches all its requests");
    assertThatThrownBy(
            () -> new RequestLimiter(sluice, rules(Map.of("path", "/a", "policy", "nope"))))
        .hasMessage("rule '/a': unknown policy 'nope'");
  }

  @Test
  void methodsThatNoRequestHasAreRefused() {
    Map<Object, String> refused =
        Map.of(
            "",
            "",
            "GET, ,POST",
            "",
            "GET POST",
            "GET POST",
            "*",
            "*",
            "P\u00d6ST",
            "P\u00d6ST",
            List.of("GET, POST"),
            "GET, POST");
    refused.forEach(
        (methods, got) ->
            assertThatThrownBy(
                    () -> rules(Map.of("path", "/a", "policy", "api", "methods", methods)))
                .hasMessage("rule '/a': a method must be one name such as GET, got '%s'", got));
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "methods", List.of())))
        .hasMessage("rule '/a': methods must not be empty; without methods it holds for all");
  }

  @Test
  void methodsMayBeInAnyCaseAndOfAnyKind() {
    LimitRules rules =
        rules(Map.of("path", "/a", "policy", "api", "methods", "get, PROPFIND,x-purge"));
    for (String method : List.of("GET", "HEAD", "PROPFIND", "X-PURGE")) {
      assertThat(rules.match(SentRequest.of(method, "/a"))).as(method).isPresent();
    }
    assertThat(rules.match(SentRequest.of("POST", "/a"))).isEmpty();
  }

  private static final class BrokenStore implements Store {
    @Override
    public Decision decide(Request request) {
      throw new StoreUnavailableException("test", "out of reach", null);
    }

    @Override
    public List<Decision> decideTogether(List<Request> requests) {
      throw new StoreUnavailableException("test", "out of reach", null);
    }

    @Override
    public void close() {}
  }
}
