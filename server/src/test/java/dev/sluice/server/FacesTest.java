package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sluice.Decision;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.server.config.PolicyFile;
import dev.sluice.server.envoy.EnvoyClient;
import dev.sluice.server.http.Caller;
import dev.sluice.server.http.Doc;
import dev.sluice.server.resp.Wire;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One policy asked through Java, HTTP, gRPC and RESP. */
class FacesTest {
  private static final List<String> ALGORITHMS =
      List.of("token-bucket", "sliding-log", "counter", "leaky-bucket");
  private static final int PERMITS = 20;

  /** What every face tells; the time to wait only roughly, as the faces are asked in turn. */
  private record Answer(boolean allowed, long remaining, double resetSeconds) {}

  @TempDir Path directory;
  private Path policies;
  private Caller server;
  private EnvoyClient grpc;
  private Wire resp;

  @BeforeEach
  void start() throws IOException {
    StringBuilder rules = new StringBuilder("policies:\n");
    StringBuilder descriptors = new StringBuilder("domain: d\ndescriptors:\n");
    for (String algorithm : ALGORITHMS) {
      String limit = "algorithm: %s, %s: %d, per: 1h";
      for (String face : List.of("http", "resp", "java")) {
        rules.append(
            "  %s-%s: {limits: [{%s}]}\n"
                .formatted(face, algorithm, limit.formatted(algorithm, "permits", PERMITS)));
      }
      descriptors.append(
          "  - {key: %s, rate_limit: {%s}}\n"
              .formatted(algorithm, limit.formatted(algorithm, "requests_per_unit", PERMITS)));
    }
    policies = directory.resolve("policies.yml");
    Path envoy = directory.resolve("envoy.yml");
    Caller.write(policies, rules.toString());
    Caller.write(envoy, descriptors.toString());
    server = Caller.of(new ServerOptions().config(policies).envoyConfig(envoy).respPort(0));
    grpc = new EnvoyClient(server.port());
    resp = new Wire(server.server().respPort().orElseThrow());
  }

  @AfterEach
  void stop() throws IOException {
    resp.close();
    grpc.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"token-bucket", "sliding-log", "counter", "leaky-bucket"})
  void samePolicyGivesTheSameAnswersThroughEveryFace(String algorithm) throws IOException {
    Sluice sluice = Sluice.inMemory();
    sluice.policies(PolicyFile.read(policies).policies());
    RateLimiter java = sluice.limiter("java-" + algorithm).orElseThrow();
    Random random = new Random(7);
    for (int i = 0; i < 40; i++) {
      String key = "k" + random.nextInt(3);
      long cost = 1L + random.nextInt(4);
      Answer expected = java(java, key, cost);
      for (Answer answer :
          List.of(
              http(algorithm, key, cost), resp(algorithm, key, cost), grpc(algorithm, key, cost))) {
        assertThat(answer)
            .as("%s, step %d of seed 7", algorithm, i)
            .usingRecursiveComparison()
            .ignoringFields("resetSeconds")
            .isEqualTo(expected);
        assertThat(answer.resetSeconds()).isCloseTo(expected.resetSeconds(), within(30.0));
      }
    }
  }

  private static Answer java(RateLimiter limiter, String key, long cost) {
    Decision decision = limiter.tryAcquire(key, cost);
    return new Answer(
        decision.allowed(), decision.remaining(), decision.resetAfterMicros() / 1_000_000.0);
  }

  private Answer http(String algorithm, String key, long cost) {
    Map<String, Object> decision =
        Doc.of(
            server.post(
                "/v1/check",
                Doc.text(Map.of("policy", "http-" + algorithm, "key", key, "cost", cost))));
    return new Answer(
        (Boolean) decision.get("allowed"),
        Doc.number(decision, "remaining"),
        Doc.number(decision, "resetAfterMillis") / 1_000.0);
  }

  private Answer resp(String algorithm, String key, long cost) throws IOException {
    String[] reply =
        resp.ask("SLUICE.CHECK", "resp-" + algorithm, latin1(key), Long.toString(cost))
            .replaceAll("[\\[\\]]", "")
            .split(", ", -1);
    return new Answer(
        reply[0].equals("1"), Long.parseLong(reply[2]), Long.parseLong(reply[4]) / 1_000.0);
  }

  private Answer grpc(String algorithm, String key, long cost) {
    RateLimitResponse response =
        grpc.ask(EnvoyClient.descriptor(algorithm, key).setHitsAddend(EnvoyClient.hits(cost)));
    DescriptorStatus status = response.getStatuses(0);
    return new Answer(
        response.getOverallCode() == RateLimitResponse.Code.OK,
        status.getLimitRemaining(),
        status.getDurationUntilReset().getSeconds());
  }

  /** A key's UTF-8 as the characters that the wire sends. */
  private static String latin1(String key) {
    return new String(key.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  static Stream<String> hostileKeys() {
    return Stream.of(
        "<img src=x onerror=alert(1)>",
        "\u202Eevil\u202C",
        "NUL \u0000 inside",
        "new\r\nline: *3\r\n$3\r\nDEL",
        "emoji \uD83E\uDD8A",
        "{tag}:*:_|",
        "é".repeat(5_000),
        "x".repeat(10_000));
  }

  @ParameterizedTest
  @MethodSource("hostileKeys")
  void hostileKeyIsOneKeyThroughEveryFaceAndNoOther(String key) throws IOException {
    for (String algorithm : List.of("token-bucket", "sliding-log")) {
      for (int left = PERMITS - 1; left > PERMITS - 4; left--) {
        assertThat(http(algorithm, key, 1).remaining()).isEqualTo(left);
        assertThat(resp(algorithm, key, 1).remaining()).isEqualTo(left);
        assertThat(grpc(algorithm, key, 1).remaining()).isEqualTo(left);
      }
      assertThat(http(algorithm, key + "x", 1).remaining()).isEqualTo(PERMITS - 1);
      // The same key and policy through another face is the same counter.
      Map<String, Object> seen =
          Doc.of(
              server.post(
                  "/v1/check",
                  Doc.text(Map.of("policy", "resp-" + algorithm, "key", key, "mode", "peek"))));
      assertThat(Doc.number(seen, "remaining")).isEqualTo(PERMITS - 3);
      assertThat(seen).containsEntry("key", key);
    }
  }
}
