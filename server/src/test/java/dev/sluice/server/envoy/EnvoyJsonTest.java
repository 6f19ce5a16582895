package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.server.Programs;
import dev.sluice.server.ServerOptions;
import dev.sluice.server.http.Caller;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code POST /json}, and what else takes a whole server. */
class EnvoyJsonTest {
  private static final String ONE_A_YEAR =
      """
      domain: web
      descriptors:
        - key: user
          rate_limit: {unit: year, requests_per_unit: 1}
      """;
  private static final String ALICE =
      "{\"domain\":\"web\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\"alice\"}]}]}";

  @TempDir Path directory;
  private Path rules;
  private Caller caller;

  @BeforeEach
  void start() {
    rules = directory.resolve("envoy.yaml");
    Caller.write(rules, ONE_A_YEAR);
    caller = Caller.of(new ServerOptions().envoyConfig(rules).respPort(0));
  }

  @AfterEach
  void stop() {
    caller.close();
  }

  private HttpResponse<String> post(String json) {
    return caller.send(caller.request("/json").POST(BodyPublishers.ofString(json)));
  }

  @Test
  void passesAndDenies() {
    HttpResponse<String> passed = post(ALICE);
    assertThat(passed.statusCode()).isEqualTo(200);
    assertThat(passed.body())
        .startsWith(
            "{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\",\"currentLimit\":"
                + "{\"requestsPerUnit\":1,\"unit\":\"YEAR\"},\"durationUntilReset\":\"");
    HttpResponse<String> denied = post(ALICE);
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).startsWith("{\"overallCode\":\"OVER_LIMIT\",");
  }

  @Test
  void mistakesAreProblems() {
    for (String wrong :
        new String[] {"", "{", "[]", "{\"domain\":\"web\"}", "{\"x\":1}", "{\"domain\":1}"}) {
      HttpResponse<String> refused = post(wrong);
      assertThat(refused.statusCode()).as(wrong).isEqualTo(400);
      assertThat(refused.headers().firstValue("content-type")).hasValue("application/problem+json");
    }
    assertThat(caller.send(caller.request("/json").GET()).statusCode()).isEqualTo(405);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {bad                        | body: not JSON, line 1, column 2
          {'domain':'web'}            | body: not JSON, line 1, column 2
          {"domain":"web"} x          | body: not JSON, line 1, column 18
          {"domain":"web"} {}         | body: must end after one JSON object
          {"domain":"a","domain":"b"} | member 'domain': must be there once
          []                          | body: must be a JSON object, got a list
          ``                          | body: must be a JSON object, got nothing
          {"x":1}                     | body: Cannot find field: x in message envoy.service.ratelimit.v3.RateLimitRequest
          {"domain":"web"}            | descriptors must be from 1 to 100, got 0
          {"descriptors":[{"entries":[{"key":[]}]}]}  | body: must be a RateLimitRequest in the JSON of protocol buffers
          {"descriptors":[{"entries":[{"key":[1]}]}]} | body: nesting must be at most 5 deep
          """)
  void whatIsNotOneStrictJsonObjectIsRefusedInOurWords(String body, String detail) {
    HttpResponse<String> refused = post(body);
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    assertThat(refused.body()).contains("\"detail\":\"%s\"".formatted(detail));
  }

  @Test
  void textThatIsNotUtf8IsRefused() {
    byte[] latin1 = ALICE.replace("alice", "\u00e9").getBytes(StandardCharsets.ISO_8859_1);
    HttpResponse<String> refused =
        caller.send(caller.request("/json").POST(BodyPublishers.ofByteArray(latin1)));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("\"detail\":\"body: must be UTF-8\"");
  }

  @Test
  void refusalDoesNotQuoteTheWholeRequest() {
    String many = "[0%s]".formatted(",0".repeat(10_000));
    HttpResponse<String> refused = post("{\"descriptors\":[{\"entries\":[%s]}]}".formatted(many));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).hasSizeLessThan(400);
  }

  @Test
  void otherMediaTypesAreRefused() {
    HttpResponse<String> refused =
        caller.send(
            caller
                .request("/json")
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString(ALICE)));
    assertThat(refused.statusCode()).isEqualTo(415);
    assertThat(refused.body()).contains("\"detail\":\"body: must be application/json\"");
  }

  @Test
  void otherMethodsAreRefusedAndTheRightOneIsNamed() {
    HttpResponse<String> refused = caller.get("/json");
    assertThat(refused.statusCode()).isEqualTo(405);
    assertThat(refused.headers().firstValue("allow")).hasValue("POST");
    assertThat(refused.headers().firstValue("content-type")).hasValue("application/problem+json");
    assertThat(refused.body()).contains("\"detail\":\"method: must be POST here, got GET\"");
  }

  @Test
  void messageOverTheLimitOnBodiesIsToldInGrpcsWords() {
    try (EnvoyClient client = new EnvoyClient(caller.port())) {
      assertThatThrownBy(() -> client.ask(EnvoyClient.descriptor("user", "x".repeat(70_000))))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              refusal -> {
                assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
                assertThat(refusal.getStatus().getDescription())
                    .isEqualTo("message: must be at most 65536 bytes");
              });
    }
  }

  @Test
  void packedMessageIsToldInGrpcsWords() {
    try (EnvoyClient client = new EnvoyClient(caller.port())) {
      assertThatThrownBy(() -> client.askPacked(RateLimitRequest.getDefaultInstance()))
          .hasMessage("UNIMPLEMENTED: grpc-encoding: must be identity, got gzip");
    }
  }

  @Test
  void changedRulesAreInForceSoon() {
    post(ALICE);
    assertThat(post(ALICE).statusCode()).isEqualTo(429);
    Caller.write(rules, ONE_A_YEAR.replace(": 1}", ": 1000}"));
    Awaitility.await().until(() -> post(ALICE).statusCode() == 200);
    assertThat(caller.get("/metrics").body())
        .contains("sluice_config_reloads_total{outcome=\"success\"} 1.0");
  }

  @Test
  void brokenRulesChangeNothingAndAreCounted() {
    Caller.write(rules, "domain: [\n");
    Awaitility.await()
        .until(
            () ->
                caller
                    .get("/metrics")
                    .body()
                    .contains("sluice_config_reloads_total{outcome=\"failure\"} 1.0"));
    assertThat(post(ALICE).statusCode()).isEqualTo(200);
    assertThat(post(ALICE).statusCode()).isEqualTo(429);
  }

  @Test
  void brokenRulesAreShownUntilTheyAreMended() {
    Caller.write(rules, ONE_A_YEAR.replace("year", "aeon"));
    String problem =
        "%s:4: domain 'web', descriptor 'user': unit must be second, minute, hour, day, week, month"
            + " or year, got 'aeon'";
    String shown = "\"problems\":[\"%s\"]".formatted(problem.formatted(rules));
    Awaitility.await().until(() -> caller.get("/v1/policies").body().contains(shown));
    assertThat(caller.get("/v1/live").body()).contains(shown);

    Caller.write(rules, ONE_A_YEAR);
    Awaitility.await().until(() -> caller.get("/v1/policies").body().contains("\"refused\":null"));
    assertThat(caller.get("/v1/live").body()).contains("\"refused\":null");
  }

  @Test
  void readyLineNamesBothPorts() {
    assertThat(caller.server().readyLine())
        .isEqualTo(
            "sluice ready http=127.0.0.1:%d resp=127.0.0.1:%d store=memory policies=2"
                .formatted(caller.port(), caller.server().respPort().orElseThrow()));
  }

  @Test
  void curlAsks() {
    Optional<String> curl = Programs.find("curl");
    if (curl.isEmpty()) {
      return;
    }
    String url = "http://127.0.0.1:" + caller.port() + "/json";
    assertThat(Programs.run(curl.get(), "-s", "-d", ALICE, url)).contains("\"overallCode\":\"OK\"");
    assertThat(
            Programs.run(
                curl.get(), "-s", "-o", "/dev/null", "-w", "%{http_code}", "-d", ALICE, url))
        .isEqualTo("429");
  }
}
