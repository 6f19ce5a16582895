package dev.sluice.http;

import static dev.sluice.http.LimitRulesTest.rules;
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

class RequestLimiterTest {
  private final Sluice sluice = Sluice.inMemory();

  RequestLimiterTest() {
    sluice.limiter("per-address", Limit.slidingLog(5, Duration.ofHours(1)));
    sluice.limiter("per-user", Limit.slidingLog(2, Duration.ofHours(1)).name("by-user"));
    sluice.limiter("api", Limit.slidingLog(10, Duration.ofHours(1)));
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
  void policiesOfAllRulesMustBeKnown() {
    assertThatThrownBy(
            () -> new RequestLimiter(sluice, rules(Map.of("path", "/a", "policy", "nope"))))
        .hasMessage("rule '/a': unknown policy 'nope'");
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
