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
import org.junit.jupiter.params.provider.CsvSource;
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          /v1/check/api/a?cost=0         | 400 | cost must be from 1 to 1099511627776, got 0
          /v1/check/api/a?cost=-1        | 400 | cost must be from 1 to 1099511627776, got -1
          /v1/check/api/a?cost=x         | 400 | parameter 'cost': must be a whole number, got 'x'
          /v1/check/api/a?cost=1&cost=2  | 400 | parameter 'cost': must be there once
          /v1/check/api/a?cots=2         | 400 | parameter 'cots': unknown, expected one of cost, deny, mode
          /v1/check/api/a?deny=500       | 400 | parameter 'deny': must be 401, 403 or 429, got '500'
          /v1/check/api/a?mode=steal     | 400 | mode: must be peek or force, got 'steal'
          /v1/check/api/                 | 400 | key must not be empty
          /v1/check/api/%FF              | 400 | path: must be percent-encoded UTF-8
          /v1/check/nope/a               | 404 | no policy 'nope'
          /v1/check/api                  | 404 | path: nothing is here; a slash inside a key is written %2F
          /v1/check/api/a/b              | 404 | path: nothing is here; a slash inside a key is written %2F
          /v1/keys/nope/a                | 404 | no policy 'nope'
          /v1/top?policy=nope            | 404 | no policy 'nope'
          /                              | 404 | path: nothing is here; a slash inside a key is written %2F
          """)
  void badRequestSaysWhichFieldAndWhatWasExpected(String path, int status, String detail) {
    assertProblem(caller.get(path), status, detail);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"policy":"api","key":"a","cots":1}      | member 'cots': unknown, expected one of policy, key, cost, mode
          {"policy":"api"}                         | member 'key': is missing
          {"policy":"api","key":""}                | key must not be empty
          {"policy":"api","key":7}                 | member 'key': must be a string, got 7
          {"policy":"api","key":"a","cost":"1"}    | member 'cost': must be a whole number, got "1"
          {"policy":"api","key":"a","cost":1.5}    | member 'cost': must be a whole number, got 1.5
          {"policy":"api","key":"a","cost":1e400}  | member 'cost': must be a whole number, got 1E+400
          {"policy":"api","key":"a","cost":0}      | cost must be from 1 to 1099511627776, got 0
          {"policy":"api","key":"a","cost":null}   | member 'cost': must be a whole number, got null
          [1]                                      | body: must be a JSON object, got a list
          {"policy":"api","key":"a"} {}            | body: must end after one JSON object
          {"policy":{"a":{"b":{"c":1}}},"key":"a"} | body: nesting must be at most 3 deep
          """)
  void badBodySaysWhichMemberAndWhatWasExpected(String body, String detail) {
    assertProblem(caller.post("/v1/check", body), 400, detail);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "{", "{\"policy\":\"api\",\"policy\":\"api\"}", "nul", "{\"cost\":NaN}"})
  void whatIsNotJsonIsABadRequest(String body) {
    HttpResponse<String> response = caller.post("/v1/check", body);
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat((String) Doc.of(response).get("detail")).startsWith("body: ");
  }

  @Test
  void otherMediaTypesAreRefused() {
    HttpResponse<String> response =
        caller.send(
            caller
                .request("/v1/check")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("{\"policy\":\"api\",\"key\":\"a\"}")));
    assertProblem(response, 415, "body: must be application/json");
  }

  @Test
  void otherMethodsAreRefusedAndTheRightOneIsNamed() {
    HttpResponse<String> response = caller.delete("/v1/check/api/a");
    assertProblem(response, 405, "method: must be GET here, got DELETE");
    assertThat(response.headers().firstValue("allow")).hasValue("GET");
  }

  @Test
  void largeBodyIsRefused() {
    String body = "{\"policy\":\"api\",\"key\":\"%s\"}".formatted("x".repeat(65_536));
    assertProblem(caller.post("/v1/check", body), 413, "body: must be at most 65536 bytes");
  }

  static void assertProblem(HttpResponse<String> response, int status, String detail) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("content-type")).hasValue("application/problem+json");
    assertThat(Doc.of(response)).containsEntry("detail", detail);
    assertThat(Doc.number(Doc.of(response), "status")).isEqualTo(status);
  }
}
