package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.server.ServerOptions;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every call beside {@code /v1/check}. */
class CallsTest {
  @TempDir Path directory;
  private Caller caller;

  @BeforeEach
  void start() {
    caller =
        Caller.with(
            directory,
            """
            policies:
              a: {limits: [{name: two, algorithm: sliding-log, permits: 2, per: 1h}]}
              b: {limits: [{name: three, algorithm: sliding-log, permits: 3, per: 1h}]}
              slow: {limits: [{name: queue, algorithm: leaky-bucket, permits: 1, per: 10s, queue: 5}]}
            """);
  }

  @AfterEach
  void stop() {
    caller.close();
  }

  private long left(String policy, String key) {
    return Doc.number(Doc.of(caller.get("/v1/keys/" + policy + "/" + key)), "remaining");
  }

  @Test
  void togetherChargesAllOrNothing() {
    String both =
        """
        {"together":true,"checks":[{"policy":"a","key":"k"},{"policy":"b","key":"k","cost":2}]}\
        """;
    HttpResponse<String> first = caller.post("/v1/checks", both);
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(Doc.of(first)).containsEntry("allowed", true);
    assertThat(Doc.list(Doc.of(first), "checks"))
        .extracting(check -> check.get("policy"))
        .containsExactly("a", "b");
    HttpResponse<String> second = caller.post("/v1/checks", both);
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.headers().firstValue("retry-after")).isPresent();
    Map<String, Object> problem = Doc.of(second);
    assertThat(problem)
        .containsEntry("allowed", false)
        .containsEntry("violated-policies", List.of("three"));
    assertThat(Doc.list(problem, "checks"))
        .extracting(check -> check.get("allowed"))
        .containsExactly(true, false);
    assertThat(left("a", "k")).isEqualTo(1);
  }

  @Test
  void checksOnTheirOwnAlwaysAnswer200() {
    String three =
        """
        {"checks":[{"policy":"a","key":"k"},{"policy":"a","key":"k"},{"policy":"a","key":"k"}]}\
        """;
    HttpResponse<String> response = caller.post("/v1/checks", three);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(Doc.of(response)).containsEntry("allowed", false);
    assertThat(Doc.list(Doc.of(response), "checks"))
        .extracting(check -> check.get("allowed"))
        .containsExactly(true, true, false);
  }

  @Test
  void badBatchChargesNothing() {
    String bad =
        """
        {"checks":[{"policy":"a","key":"k"},{"policy":"a","key":"k","cost":0}]}\
        """;
    MistakesTest.assertProblem(
        caller.post("/v1/checks", bad),
        400,
        "member 'checks[1].cost': must be from 1 to 1099511627776, got 0");
    String unknown =
        """
        {"checks":[{"policy":"a","key":"k"},{"policy":"zz","key":"k"}]}\
        """;
    MistakesTest.assertProblem(caller.post("/v1/checks", unknown), 404, "no policy 'zz'");
    MistakesTest.assertProblem(
        caller.post("/v1/checks", "{\"checks\":[]}"),
        400,
        "member 'checks': must have from 1 to 100 items, got 0");
    String many = String.join(",", Collections.nCopies(101, "{\"policy\":\"b\",\"key\":\"k\"}"));
    MistakesTest.assertProblem(
        caller.post("/v1/checks", "{\"checks\":[%s]}".formatted(many)),
        400,
        "member 'checks': must have from 1 to 100 items, got 101");
    assertThat(left("a", "k")).isEqualTo(2);
    assertThat(left("b", "k")).isEqualTo(3);
  }

  @Test
  void reservationIsSettledWithItsActualCost() {
    HttpResponse<String> made =
        caller.post("/v1/reservations", "{\"policy\":\"b\",\"key\":\"k\",\"cost\":3}");
    assertThat(made.statusCode()).isEqualTo(201);
    String id = (String) Doc.of(made).get("id");
    assertThat(Doc.number(Doc.of(made), "waitMillis")).isZero();
    assertThat(left("b", "k")).isZero();
    for (int repeated = 0; repeated < 2; repeated++) {
      HttpResponse<String> committed =
          caller.post("/v1/reservations/%s/commit".formatted(id), "{\"cost\":1}");
      assertThat(committed.statusCode()).isEqualTo(200);
      assertThat(committed.body()).isEqualTo("{\"committed\":true}");
      assertThat(left("b", "k")).isEqualTo(2);
    }
  }

  @Test
  void cancelledReservationGivesEverythingBack() {
    Map<String, Object> made =
        Doc.of(caller.post("/v1/reservations", "{\"policy\":\"b\",\"key\":\"k\",\"cost\":2}"));
    for (int repeated = 0; repeated < 2; repeated++) {
      HttpResponse<String> cancelled = caller.delete("/v1/reservations/" + made.get("id"));
      assertThat(cancelled.statusCode()).isEqualTo(200);
      assertThat(cancelled.body()).isEqualTo("{\"cancelled\":true}");
      assertThat(left("b", "k")).isEqualTo(3);
    }
  }

  @Test
  void settledReservationCannotBeSettledOtherwise() {
    String reserve = "{\"policy\":\"b\",\"key\":\"k\",\"cost\":2}";
    Object committed = Doc.of(caller.post("/v1/reservations", reserve)).get("id");
    String commit = "/v1/reservations/%s/commit".formatted(committed);
    String settled = "the reservation was settled before, with another cost";
    assertThat(caller.post(commit, "{\"cost\":1}").statusCode()).isEqualTo(200);
    MistakesTest.assertProblem(caller.post(commit, "{\"cost\":2}"), 409, settled);
    assertThat(caller.delete("/v1/reservations/" + committed).body())
        .isEqualTo("{\"cancelled\":false}");
    assertThat(left("b", "k")).isEqualTo(2);

    Object cancelled = Doc.of(caller.post("/v1/reservations", reserve)).get("id");
    commit = "/v1/reservations/%s/commit".formatted(cancelled);
    assertThat(caller.delete("/v1/reservations/" + cancelled).statusCode()).isEqualTo(200);
    MistakesTest.assertProblem(caller.post(commit, "{\"cost\":2}"), 409, settled);
    assertThat(left("b", "k")).isEqualTo(2);
  }

  @Test
  void reservationBooksAPlaceUpToItsLongestWait() {
    String later =
        "{\"policy\":\"slow\",\"key\":\"k\",\"maxWaitMillis\":15000,\"ttlMillis\":60000}";
    assertThat(Doc.number(Doc.of(caller.post("/v1/reservations", later)), "waitMillis")).isZero();
    HttpResponse<String> second = caller.post("/v1/reservations", later);
    assertThat(second.statusCode()).isEqualTo(201);
    assertThat(Doc.number(Doc.of(second), "waitMillis")).isBetween(5_000L, 10_000L);
    HttpResponse<String> third = caller.post("/v1/reservations", later);
    assertThat(third.statusCode()).isEqualTo(429);
    assertThat(Doc.of(third)).doesNotContainKey("id");
  }

  @Test
  void unknownReservationIsNotFoundAndNonsenseIsABadRequest() {
    Map<String, Object> made =
        Doc.of(caller.post("/v1/reservations", "{\"policy\":\"b\",\"key\":\"k\"}"));
    String id = (String) made.get("id");
    String other = id.substring(0, id.length() - 1) + (id.endsWith("A") ? "Q" : "A");
    MistakesTest.assertProblem(
        caller.post("/v1/reservations/%s/commit".formatted(other), "{\"cost\":1}"),
        404,
        "no such reservation; it may have expired");
    assertThat(caller.delete("/v1/reservations/" + other).body())
        .isEqualTo("{\"cancelled\":false}");
    MistakesTest.assertProblem(
        caller.delete("/v1/reservations/x"),
        400,
        "reservation must be an id as it was given out, got 'x'");
    MistakesTest.assertProblem(
        caller.delete("/v1/leases/x"), 400, "lease must be an id as it was given out, got 'x'");
    MistakesTest.assertProblem(
        caller.post("/v1/reservations/%s/commit".formatted(id), "{}"),
        400,
        "member 'cost': is missing");
  }

  @Test
  void keyIsShownWithoutChangingIt() {
    caller.get("/v1/check/a/k?cost=2");
    HttpResponse<String> shown = caller.get("/v1/keys/a/k");
    assertThat(shown.statusCode()).isEqualTo(200);
    assertThat(Doc.of(shown)).containsEntry("allowed", false).containsEntry("key", "k");
    assertThat(caller.get("/v1/keys/a/k").statusCode()).isEqualTo(200);
  }

  @Test
  void administratorsResetAndRefund() {
    caller.get("/v1/check/a/k?cost=2");
    HttpRequest.Builder refund =
        caller
            .request("/v1/keys/a/k/refund")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"cost\":1}"));
    HttpResponse<String> refunded = caller.admin(refund);
    assertThat(refunded.statusCode()).isEqualTo(200);
    assertThat(Doc.number(Doc.of(refunded), "remaining")).isEqualTo(1);
    HttpResponse<String> reset = caller.admin(caller.request("/v1/keys/a/k").DELETE());
    assertThat(reset.statusCode()).isEqualTo(200);
    assertThat(left("a", "k")).isEqualTo(2);
  }

  @Test
  void othersNeitherResetNorRefund() {
    caller.get("/v1/check/a/k");
    HttpResponse<String> without = caller.delete("/v1/keys/a/k");
    MistakesTest.assertProblem(without, 401, "admin calls need Authorization: Bearer TOKEN");
    assertThat(without.headers().firstValue("www-authenticate")).hasValue("Bearer");
    for (String wrong : List.of("Bearer", "Bearer x", "Basic " + Caller.TOKEN, Caller.TOKEN)) {
      HttpResponse<String> response =
          caller.send(caller.request("/v1/keys/a/k").header("Authorization", wrong).DELETE());
      MistakesTest.assertProblem(response, 401, "admin calls need Authorization: Bearer TOKEN");
    }
    HttpResponse<String> refund = caller.post("/v1/keys/a/k/refund", "{\"cost\":1}");
    assertThat(refund.statusCode()).isEqualTo(401);
    assertThat(left("a", "k")).isEqualTo(1);
  }

  @Test
  void tokensAreNotGuessedQuickly() {
    HttpResponse<String> refused = null;
    for (int i = 0; i < 40; i++) {
      HttpResponse<String> guess =
          caller.send(
              caller.request("/v1/keys/a/k").header("Authorization", "Bearer " + i).DELETE());
      assertThat(guess.statusCode()).isIn(401, 429);
      refused = guess.statusCode() == 429 ? guess : refused;
    }
    MistakesTest.assertProblem(refused, 429, "too many wrong admin tokens from this address");
    assertThat(refused.headers().firstValue("retry-after")).hasValue("1");
    // A caller who offers nothing has not guessed, and others are not locked out for long.
    assertThat(caller.delete("/v1/keys/a/k").statusCode()).isEqualTo(401);
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> caller.admin(caller.request("/v1/keys/a/k").DELETE()).statusCode() == 200);
  }

  @Test
  void withoutATokenAdminCallsAreForbidden() {
    try (Caller bare = Caller.of(new ServerOptions())) {
      MistakesTest.assertProblem(
          bare.delete("/v1/keys/demo/k"), 403, "admin calls need a server with --admin-token");
      MistakesTest.assertProblem(
          bare.admin(bare.request("/v1/keys/demo/k").DELETE()),
          403,
          "admin calls need a server with --admin-token");
    }
  }

  @Test
  void builtInPoliciesExistWithoutAFile() {
    try (Caller bare = Caller.of(new ServerOptions())) {
      assertThat(bare.get("/v1/check/demo/alice").statusCode()).isEqualTo(200);
      for (int i = 0; i < 5; i++) {
        assertThat(bare.get("/v1/check/login/alice").statusCode()).isEqualTo(200);
      }
      assertThat(bare.get("/v1/check/login/alice").statusCode()).isEqualTo(429);
      assertThat(bare.server().readyLine())
          .isEqualTo(
              "sluice ready http=127.0.0.1:%d store=memory policies=2".formatted(bare.port()));
    }
  }

  @Test
  void topKeysAreThoseDeniedMost() {
    for (int i = 0; i < 5; i++) {
      caller.get("/v1/check/a/busy");
      caller.get("/v1/check/b/less");
    }
    List<Map<String, Object>> all = Doc.list(Doc.of(caller.get("/v1/top")), "keys");
    assertThat(all).extracting(key -> key.get("key")).containsExactly("busy", "less");
    assertThat(Doc.number(all.get(0), "denied")).isEqualTo(3);
    assertThat(all.get(0)).containsEntry("limit", "two").containsEntry("policy", "a");
    assertThat(Doc.list(Doc.of(caller.get("/v1/top?policy=b")), "keys"))
        .extracting(key -> key.get("key"))
        .containsExactly("less");
  }

  @Test
  void rulesInForceAreShown() {
    Map<String, Object> shown = Doc.of(caller.get("/v1/policies"));
    assertThat(shown)
        .containsEntry("source", directory.resolve("policies.yml").toString())
        .containsEntry("store", "memory")
        .containsEntry("refused", null);
    assertThat(Doc.list(shown, "policies"))
        .extracting(policy -> policy.get("name"))
        .containsExactly("a", "b", "slow");
  }

  @Test
  void healthReadinessAndMetricsAnswer() {
    assertThat(caller.get("/healthz").body()).isEqualTo("{\"status\":\"alive\"}");
    assertThat(caller.get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}");
    caller.get("/v1/check/a/k?cost=2");
    caller.get("/v1/check/a/k");
    caller.get("/v1/check/a/k?cost=0");
    String metrics = caller.get("/metrics").body();
    assertThat(metrics)
        .contains("sluice_decisions_total{limit=\"two\",outcome=\"allowed\",policy=\"a\"} 1.0\n")
        .contains("sluice_decisions_total{limit=\"two\",outcome=\"denied\",policy=\"a\"} 1.0\n")
        .contains("sluice_decisions_total{limit=\"none\",outcome=\"invalid\",policy=\"a\"} 1.0\n")
        .contains("sluice_decision_seconds_bucket{policy=\"a\",le=\"0.02\"}")
        .contains("sluice_store_seconds_count ")
        .contains("sluice_keys 1.0\n")
        .contains("sluice_config_reloads_total{outcome=\"failure\"} 0.0\n");
  }

  @Test
  void metricsDoNotGrowWithKeys() {
    caller.get("/v1/check/a/first?cost=2");
    caller.get("/v1/check/a/first");
    long before = caller.get("/metrics").body().lines().count();
    for (int i = 0; i < 300; i++) {
      caller.get("/v1/check/a/key" + i + "?cost=2");
      caller.get("/v1/check/a/key" + i);
    }
    assertThat(caller.get("/metrics").body().lines().count()).isEqualTo(before);
  }
}
