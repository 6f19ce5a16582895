package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.Programs;
import dev.sluice.server.ServerOptions;
import dev.sluice.server.http.Caller;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code POST /json} of a whole server. */
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
