package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckTest {
  @TempDir static Path directory;
  private static Caller caller;

  @BeforeAll
  static void start() {
    caller =
        Caller.with(
            directory,
            """
            policies:
              api:
                limits:
                  - {name: burst, algorithm: token-bucket, permits: 1, per: 1h, burst: 20}
                  - {name: hourly, algorithm: sliding-window, permits: 240, per: 1h, precision: 1m}
                keys:
                  "user:blocked": {deny: true}
                  "ip:10.0.0.*": {unlimited: true}
              two: {limits: [{name: pair, algorithm: fixed-window, permits: 2, per: day}]}
              shade: {limits: ["1/h"], shadow: true}
              queue: {limits: [{algorithm: leaky-bucket, permits: 1, per: 1h, queue: 3}]}
              held: {limits: [{algorithm: concurrency, permits: 1}]}
            """);
  }

  @AfterAll
  static void stop() {
    caller.close();
  }

  @Test
  void getAnswersWithEveryMemberOfTheContract() {
    HttpResponse<String> response = caller.get("/v1/check/api/user:42");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("content-type"))
        .hasValue("application/json; charset=utf-8");
    assertThat(response.body())
        .isEqualTo(
            """
            {"allowed":true,"policy":"api","key":"user:42","cost":1,"binding":"burst",\
            "remaining":19,"retryAfterMillis":0,"resetAfterMillis":3600000,"waitMillis":0,\
            "degraded":false,"shadow":false,"limits":[{"name":"burst",\
            "algorithm":"token-bucket","allowed":true,"permits":1,"perMillis":3600000,\
            "capacity":20,"remaining":19,"retryAfterMillis":0,"resetAfterMillis":3600000},\
            {"name":"hourly","algorithm":"sliding-window","allowed":true,"permits":240,\
            "perMillis":3600000,"capacity":240,"remaining":239,"retryAfterMillis":0,\
            "resetAfterMillis":%d}]}"""
                .formatted(
                    Doc.number(Doc.list(Doc.of(response), "limits").get(1), "resetAfterMillis")));
    Map<String, List<String>> headers = response.headers().map();
    assertThat(headers.get("ratelimit-policy"))
        .containsExactly("\"burst\";q=20;w=72000, \"hourly\";q=240;w=3600");
    assertThat(headers.get("ratelimit")).containsExactly("\"burst\";r=19;t=3600");
    assertThat(headers.get("x-ratelimit-limit")).containsExactly("20");
    assertThat(headers.get("x-ratelimit-remaining")).containsExactly("19");
    assertThat(headers.get("x-ratelimit-reset")).containsExactly("3600");
    assertThat(headers.get("cache-control")).containsExactly("no-store");
    assertThat(headers).doesNotContainKey("retry-after");
  }

  @Test
  void deniedIsAProblemWithTheDecisionInIt() {
    caller.get("/v1/check/two/a?cost=2");
    HttpResponse<String> response = caller.get("/v1/check/two/a");
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
    Map<String, Object> problem = Doc.of(response);
    assertThat(problem)
        .containsEntry("type", "https://iana.org/assignments/http-problem-types#quota-exceeded")
        .containsEntry("title", "Quota exceeded")
        .containsEntry("violated-policies", List.of("pair"))
        .containsEntry("allowed", false)
        .containsEntry("policy", "two")
        .containsEntry("key", "a")
        .containsEntry("binding", "pair");
    assertThat(Doc.number(problem, "status")).isEqualTo(429);
    long retryMillis = Doc.number(problem, "retryAfterMillis");
    assertThat(response.headers().firstValueAsLong("retry-after"))
        .hasValue(Math.max(1, -Math.floorDiv(-retryMillis, 1_000)));
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 403, 429})
  void proxiesChooseTheStatusOfADenial(int status) {
    HttpResponse<String> response = caller.get("/v1/check/two/b?cost=3&deny=" + status);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(Doc.number(Doc.of(response), "status")).isEqualTo(status);
    HttpResponse<String> posted =
        caller.post("/v1/check?deny=" + status, "{\"policy\":\"two\",\"key\":\"b\",\"cost\":3}");
    assertThat(posted.statusCode()).isEqualTo(status);
  }

  @Test
  void costThatCanNeverPassHasNoRetryTime() {
    HttpResponse<String> response = caller.get("/v1/check/two/c?cost=3");
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(Doc.of(response)).containsEntry("retryAfterMillis", null);
    assertThat(response.headers().firstValue("retry-after")).isEmpty();
  }

  @Test
  void blockedKeyNeverPasses() {
    HttpResponse<String> response = caller.get("/v1/check/api/user:blocked");
    assertThat(response.statusCode()).isEqualTo(429);
    assertThat(Doc.of(response))
        .containsEntry("retryAfterMillis", null)
        .containsEntry("binding", null)
        .containsEntry("detail", "this key is refused");
  }

  @Test
  void unlimitedKeyHasNoLimitsAndNoHeaders() {
    HttpResponse<String> response = caller.get("/v1/check/api/ip:10.0.0.7");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(Doc.of(response)).containsEntry("limits", List.of()).containsEntry("binding", null);
    assertThat(response.headers().map()).doesNotContainKeys("ratelimit", "x-ratelimit-limit");
  }

  @Test
  void shadowPolicyLetsThroughAndSaysSo() {
    assertThat(Doc.of(caller.get("/v1/check/shade/a"))).containsEntry("shadow", false);
    HttpResponse<String> second = caller.get("/v1/check/shade/a");
    assertThat(second.statusCode()).isEqualTo(200);
    assertThat(Doc.of(second)).containsEntry("allowed", true).containsEntry("shadow", true);
  }

  @Test
  void leakyBucketReportsItsWaitWithoutWaiting() {
    assertThat(Doc.number(Doc.of(caller.get("/v1/check/queue/a")), "waitMillis")).isZero();
    for (int place = 1; place <= 3; place++) {
      HttpResponse<String> response = caller.get("/v1/check/queue/a");
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(Doc.number(Doc.of(response), "waitMillis"))
          .isBetween(place * 3_600_000L - 60_000, place * 3_600_000L);
    }
    assertThat(caller.get("/v1/check/queue/a").statusCode()).isEqualTo(429);
  }

  @Test
  void peekTakesNothingAndForceTakesWhatThereIs() {
    assertThat(Doc.number(Doc.of(caller.get("/v1/check/two/d?mode=peek")), "remaining"))
        .isEqualTo(2);
    Map<String, Object> forced = Doc.of(caller.get("/v1/check/two/d?mode=force&cost=5"));
    assertThat(forced).containsEntry("allowed", true).containsEntry("forced", true);
    HttpResponse<String> peeked =
        caller.post("/v1/check", "{\"policy\":\"two\",\"key\":\"d\",\"mode\":\"peek\"}");
    assertThat(peeked.statusCode()).isEqualTo(429);
  }

  @Test
  void heldPermitIsReleasedByItsLease() {
    Map<String, Object> first = Doc.of(caller.get("/v1/check/held/a"));
    assertThat(caller.get("/v1/check/held/a").statusCode()).isEqualTo(429);
    String lease = (String) first.get("lease");
    assertThat(caller.delete("/v1/leases/" + lease).body()).isEqualTo("{\"released\":true}");
    assertThat(caller.delete("/v1/leases/" + lease).body()).isEqualTo("{\"released\":false}");
    assertThat(caller.get("/v1/check/held/a").statusCode()).isEqualTo(200);
  }

  @Test
  void headIsAnsweredAsGetWithoutABody() {
    HttpResponse<String> response =
        caller.send(
            caller
                .request("/v1/check/api/head")
                .method("HEAD", HttpRequest.BodyPublishers.noBody()));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("x-ratelimit-remaining")).hasValue("19");
    assertThat(response.body()).isEmpty();
  }

  @Test
  void postTakesTheParametersOfGet() {
    String body = "{\"policy\":\"two\",\"key\":\"posted\",\"cost\":2}";
    assertThat(caller.post("/v1/check?mode=peek", body).statusCode()).isEqualTo(200);
    assertThat(caller.post("/v1/check?deny=403", body).statusCode()).isEqualTo(200);
    assertThat(caller.post("/v1/check?deny=403", body).statusCode()).isEqualTo(403);
    assertThat(caller.post("/v1/check?mode=force", body).body()).contains("\"forced\":true");
  }

  @Test
  void bodyWithoutAMediaTypeIsTakenForJson() {
    HttpResponse<String> response =
        caller.send(
            caller
                .request("/v1/check")
                .POST(
                    HttpRequest.BodyPublishers.ofString("{\"policy\":\"two\",\"key\":\"bare\"}")));
    assertThat(response.statusCode()).isEqualTo(200);
  }
}
