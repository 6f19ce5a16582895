package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What callers get wrong, and the whole text that tells them. */
class MistakesTest {
  @TempDir static Path directory;
  private static Caller caller;

  @BeforeAll
  static void start() {
    caller = Caller.with(directory, "policies: {api: {limits: [1000/s]}}\n");
  }

  @AfterAll
  static void stop() {
    caller.close();
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
          /v1/check/api/a?cost=          | 400 | parameter 'cost': must be a whole number, got ''
          /v1/check/api/a?cost=1.0       | 400 | parameter 'cost': must be a whole number, got '1.0'
          /v1/check/api/a?cost=%2B1      | 400 | parameter 'cost': must be a whole number, got '+1'
          /v1/check/api/a?cost=9223372036854775808 | 400 | parameter 'cost': must be of at most 18 digits, got '9223372036854775808'
          /v1/check/api/a?cost=999999999999999999 | 400 | cost must be from 1 to 1099511627776, got 999999999999999999
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
          /nothing                       | 404 | path: nothing is here; a slash inside a key is written %2F
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
          {"policy":"api","key":"a","cost":1e400}  | member 'cost': must be a whole number, got 1e400
          {"policy":"api","key":"a","cost":1e0}    | member 'cost': must be a whole number, got 1e0
          {"policy":"api","key":"a","cost":1e99999999999} | member 'cost': must be a whole number, got 1e99999999999
          {"policy":"api","key":"a","cost":99999999999999999999} | member 'cost': must be of at most 18 digits, got 99999999999999999999
          {"policy":"api","key":"a","cost":true}   | member 'cost': must be a whole number, got true
          {"policy":"api","policy":"api"}          | member 'policy': must be there once
          {"policy":null,"key":"a"}                | member 'policy': must be a string, got null
          {"policy":"api","key":"a","mode":"x"}    | mode: must be peek or force, got 'x'
          {"policy":"api","key":"a","deny":403}    | member 'deny': unknown, expected one of policy, key, cost, mode
          {"policy":"api","key":"a"                | body: not JSON, line 1, column 26
          {"policy":"api","key":NaN}               | body: not JSON, line 1, column 26
          null                                     | body: must be a JSON object, got null
          {"policy":"api","key":"a","cost":0}      | cost must be from 1 to 1099511627776, got 0
          {"policy":"api","key":"a","cost":null}   | member 'cost': must be a whole number, got null
          [1]                                      | body: must be a JSON object, got a list
          {"policy":"api","key":"a"} {}            | body: must end after one JSON object
          {"policy":{"a":{"b":{"c":1}}},"key":"a"} | body: nesting must be at most 3 deep
          """)
  void badBodySaysWhichMemberAndWhatWasExpected(String body, String detail) {
    assertProblem(caller.post("/v1/check", body), 400, detail);
  }

  @Test
  void numberOrNameOfAnyLengthIsABadRequest() {
    String body = "{\"policy\":\"api\",\"key\":\"a\",\"cost\":%s}".formatted("1".repeat(60_000));
    assertProblem(
        caller.post("/v1/check", body),
        400,
        "member 'cost': must be of at most 18 digits, got %s…".formatted("1".repeat(40)));
    String name = "x".repeat(60_000);
    assertProblem(
        caller.post("/v1/check", "{\"%s\":1}".formatted(name)),
        400,
        "member '%s…': unknown, expected one of policy, key, cost, mode".formatted("x".repeat(40)));
  }

  /** Who repeats all that he was sent can be made to send much. */
  @Test
  void whatWasSentIsShownInShort() {
    String x = "x".repeat(5_000);
    String shown = "x".repeat(40) + "…";
    assertProblem(
        caller.post("/v1/check", "{\"%1$s\":1,\"%1$s\":1}".formatted(x)),
        400,
        "member '%s': must be there once".formatted(shown));
    assertProblem(
        caller.post("/v1/checks", "{\"checks\":[{\"%s\":1}]}".formatted(x)),
        400,
        "member 'checks[0].%s': unknown, expected one of policy, key, cost".formatted(shown));
    assertProblem(
        caller.post("/v1/check", "{\"policy\":\"%s\",\"key\":\"a\"}".formatted(x)),
        404,
        "no policy '%s'".formatted(shown));
    assertProblem(
        caller.get("/v1/check/api/a?" + x),
        400,
        "parameter '%s': unknown, expected one of cost, deny, mode".formatted(shown));
    assertProblem(
        caller.get("/v1/check/api/a?cost=" + x),
        400,
        "parameter 'cost': must be a whole number, got '%s'".formatted(shown));
    assertProblem(
        caller.get("/v1/check/api/a?cost=" + "7".repeat(5_000)),
        400,
        "parameter 'cost': must be of at most 18 digits, got '%s…'".formatted("7".repeat(40)));
    assertProblem(
        caller.get("/v1/check/api/a?deny=" + x),
        400,
        "parameter 'deny': must be 401, 403 or 429, got '%s'".formatted(shown));
    assertProblem(
        caller.get("/v1/check/api/a?mode=" + x),
        400,
        "mode: must be peek or force, got '%s'".formatted(shown));
  }

  @Test
  void noCharacterIsShownInHalf() {
    String body = "{\"policy\":\"%s\",\"key\":\"a\"}";
    assertProblem(
        caller.post("/v1/check", body.formatted("x".repeat(39) + "\uD83D\uDE00")),
        404,
        "no policy '%s…'".formatted("x".repeat(39)));
  }

  /** Taken for slashes, or for halves of characters, two different keys would be one. */
  @ParameterizedTest
  @ValueSource(strings = {"C0AF", "E080AF", "F08080AF", "EDA080", "F4908080", "FF"})
  void bodyThatIsNotUtf8IsRefused(String hex) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.write("{\"policy\":\"api\",\"key\":\"".getBytes(StandardCharsets.US_ASCII));
    body.write(HexFormat.of().parseHex(hex));
    body.write("\"}".getBytes(StandardCharsets.US_ASCII));
    assertProblem(post(body.toByteArray()), 400, "body: must be UTF-8");
  }

  @Test
  void bodyMayBeginWithAByteOrderMark() {
    String body = "\uFEFF{\"policy\":\"api\",\"key\":\"a\"}";
    assertThat(post(body.getBytes(StandardCharsets.UTF_8)).statusCode()).isEqualTo(200);
    assertProblem(post(body.getBytes(StandardCharsets.UTF_16)), 400, "body: must be UTF-8");
  }

  private static HttpResponse<String> post(byte[] body) {
    return caller.send(
        caller
            .request("/v1/check")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body)));
  }

  @Test
  void emptyBodyIsABadRequest() {
    assertProblem(caller.post("/v1/check", ""), 400, "body: must be a JSON object, got nothing");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"policy":"api","key":"a","maxWaitMillis":-1}    | member 'maxWaitMillis': must be from 0 to 31536000000, got -1
          {"policy":"api","key":"a","ttlMillis":0}         | member 'ttlMillis': must be from 1 to 31536000000, got 0
          {"policy":"api","key":"a","ttlMillis":9999999999999999} | member 'ttlMillis': must be from 1 to 31536000000, got 9999999999999999
          {"policy":"api","key":"a","ttl":1}               | member 'ttl': unknown, expected one of policy, key, cost, maxWaitMillis, ttlMillis
          {"policy":"api","key":"a","cost":0}              | cost must be from 1 to 1099511627776, got 0
          """)
  void badReservationSaysWhichMemberAndWhatWasExpected(String body, String detail) {
    assertProblem(caller.post("/v1/reservations", body), 400, detail);
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DELETE  | /v1/check/api/a     | GET, HEAD
          OPTIONS | /v1/check/api/a     | GET, HEAD
          PUT     | /v1/check           | POST
          GET     | /v1/check           | POST
          GET     | /v1/checks          | POST
          GET     | /v1/leases/x        | DELETE
          PUT     | /v1/reservations/x  | DELETE
          PATCH   | /v1/keys/api/a      | DELETE, GET, HEAD
          POST    | /v1/policies        | GET, HEAD
          POST    | /readyz             | GET, HEAD
          POST    | /                   | GET, HEAD
          """)
  void otherMethodsAreRefusedAndTheRightOnesAreNamed(String method, String path, String right) {
    HttpResponse<String> response =
        caller.send(
            caller
                .request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.noBody()));
    assertProblem(response, 405, "method: must be %s here, got %s".formatted(right, method));
    assertThat(response.headers().firstValue("allow")).hasValue(right);
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
