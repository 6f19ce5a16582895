package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServeCommandTest {
  private static final Pattern READY =
      Pattern.compile(
          "sluice ready http=127\\.0\\.0\\.1:(\\d+) resp=127\\.0\\.0\\.1:\\d+ store=memory policies=2");

  @TempDir Path directory;

  private static int port(String readyLine) {
    Matcher matcher = READY.matcher(readyLine);
    assertThat(matcher.matches()).as(readyLine).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  @Test
  void servesUntilItIsToldToStop() throws Exception {
    try (Cli cli = Cli.start(Map.of(), "serve", "--http-port", "0", "--resp-port", "0")) {
      int port = port(cli.line());
      String server = "http://127.0.0.1:" + port;
      assertThat(body(server + "/v1/check/demo/alice"))
          .contains("\"allowed\":true")
          .contains("\"key\":\"alice\"");
      Cli.Result allowed = Cli.run("check", "login", "bob", "--server", server, "--cost", "4");
      assertThat(allowed.out()).isEqualTo("allowed: limit 'sliding-log', 1 left\n");
      assertThat(allowed.status()).isZero();
      Cli.Result denied =
          Cli.run(Map.of("SLUICE_SERVER", server), "check", "login", "bob", "--cost", "2");
      assertThat(denied.out()).startsWith("denied: limit 'sliding-log', 1 left, retry in ");
      assertThat(denied.status()).isEqualTo(1);
      Cli.Result never = Cli.run("check", "login", "bob", "--server", server, "--cost", "6");
      assertThat(never.out()).isEqualTo("denied: limit 'sliding-log', 1 left, can never pass\n");
      Cli.Result unknown = Cli.run("check", "nope", "bob", "--server", server);
      assertThat(unknown.err()).isEqualTo("sluice check: no policy 'nope'\n");
      assertThat(unknown.status()).isEqualTo(2);
      Cli.Result top = Cli.run("top", "--once", "--server", server);
      assertThat(top.out()).contains("         2  login                sliding-log      bob\n");

      cli.terminate();
      assertThat(cli.await()).isZero();
      assertThat(cli.line()).isNull();
      assertThat(cli.err()).isEmpty();
    }
  }

  @Test
  void everyOptionHasAnEnvironmentVariable() throws Exception {
    Path file = directory.resolve("two.yml");
    Files.writeString(file, "policies: {a: {limits: [10/s]}, b: {limits: [10/s]}}\n");
    Map<String, String> environment =
        Map.of(
            "SLUICE_HTTP_PORT", "0",
            "SLUICE_RESP_PORT", "0",
            "SLUICE_CONFIG", file.toString(),
            "SLUICE_STORE", "memory");
    try (Cli cli = Cli.start(environment, "serve")) {
      assertThat(port(cli.line())).isPositive();
    }
  }

  @Test
  void refusedFileIsInTheLogTheMetricAndThePage() throws Exception {
    Path file = directory.resolve("two.yml");
    String good = "policies:\n  a: {limits: [10/s]}\n  b: {limits: [10/s]}\n";
    Files.writeString(file, good);
    try (Cli cli =
        Cli.start(
            Map.of(),
            "serve",
            "--http-port",
            "0",
            "--resp-port",
            "0",
            "--config",
            file.toString())) {
      String server = "http://127.0.0.1:" + port(cli.line());
      Files.writeString(file, good.replace("b: {limits: [10/s]}", "c: {limits: [10/x]}"));
      String problem =
          file + ":3: policy 'c': limit must look like '10/s' or '240/h burst 20', got '10/x'";
      await().atMost(Duration.ofSeconds(30)).until(() -> cli.err().contains(problem));
      assertThat(cli.err().lines())
          .first(STRING)
          .endsWith("ERROR Rules - policies file refused, the old rules stay:");
      assertThat(body(server + "/metrics"))
          .contains("sluice_config_reloads_total{outcome=\"failure\"} 1.0\n");
      assertThat(body(server + "/v1/live")).contains(problem);
      assertThat(body(server + "/v1/check/b/k")).contains("\"allowed\":true");
    }
  }

  private static String body(String uri) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(uri)).build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  @Test
  void badFlagIsOneLineAndExit2() throws Exception {
    assertFails(
        "sluice serve: Unknown option: '--prot=8080' (try --help)\n", "serve", "--prot=8080");
    assertFails(
        "sluice serve: Invalid value for option '--http-port': 'x' is not an int (try --help)\n",
        "serve",
        "--http-port",
        "x");
    assertFails(
        "sluice serve: Invalid value for option '--store-deadline': must be a duration such as"
            + " 250ms, 1s, 5m, 1h or 1d, got '20' (try --help)\n",
        "serve",
        "--store-deadline",
        "20");
    assertFails(
        "sluice serve: http port 70000: must be from 0 to 65535\n",
        "serve",
        "--http-port",
        "70000");
    assertFails("sluice: Unmatched argument at index 0: 'srve' (try --help)\n", "srve");
    assertFails("sluice: a command is missing (try --help)\n");
  }

  @Test
  void timesBeyondReasonAreOneLineAndExit2() throws Exception {
    assertFails(
        "sluice serve: --store-deadline: must be positive and at most 1 hour, got PT0S\n",
        "serve",
        "--store-deadline",
        "0ms");
    assertFails(
        "sluice serve: --store-deadline: must be positive and at most 1 hour, got PT2640000H\n",
        "serve",
        "--store-deadline",
        "110000d");
    assertFails(
        "sluice serve: --drain-delay: must be from 0 to 1 hour, got PT999999999999999H\n",
        "serve",
        "--drain-delay",
        "999999999999999h");
  }

  @Test
  void halfOfTlsIsOneLineAndExit2() throws Exception {
    assertFails(
        "sluice serve: --tls-key 'k.pem': needs --tls-cert beside it\n",
        "serve",
        "--tls-key",
        "k.pem");
    assertFails(
        "sluice serve: --tls-cert 'c.pem': needs --tls-key beside it\n",
        "serve",
        "--tls-cert",
        "c.pem");
  }

  @Test
  void badFileIsOneLineAndExit2() throws Exception {
    Path file = directory.resolve("bad.yml");
    Files.writeString(file, "policies:\n  a: {limits: [10/x]}\n  b: {}\n");
    assertFails(
        "sluice serve: %s:2: policy 'a': limit must look like '10/s' or '240/h burst 20', got '10/x';"
                .formatted(file)
            + " 1 more, see sluice validate\n",
        "serve",
        "--http-port",
        "0",
        "--config",
        file.toString());
  }

  @Test
  void portInUseIsOneLineAndExit2() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = String.valueOf(taken.getLocalPort());
      assertFails(
          "sluice serve: http port %s: cannot listen on 127.0.0.1: already in use\n"
              .formatted(port),
          "serve",
          "--resp-port",
          "0",
          "--http-port",
          port);
    }
  }

  @Test
  void requiredStoreOutOfReachIsOneLineAndExit2() throws Exception {
    assertFails(
        "sluice serve: --require-store: redis: redis://127.0.0.1:1 is out of reach: Connection"
            + " refused\n",
        "serve",
        "--require-store",
        "--store",
        "redis://127.0.0.1:1");
  }

  private static void assertFails(String err, String... args)
      throws IOException, InterruptedException {
    Cli.Result result = Cli.run(args);
    assertThat(result.err()).isEqualTo(err);
    assertThat(result.out()).isEmpty();
    assertThat(result.status()).isEqualTo(2);
  }
}
