package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.Programs;
import dev.sluice.server.ServerOptions;
import dev.sluice.server.http.Caller;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Envoy with the configuration of {@code deploy/}: Sluice limits, and is the application.
 */
class RealEnvoyTest {
  private static final Path DEPLOY = Path.of("..", "deploy");

  @TempDir Path directory;

  @Test
  void envoyLimitsByOurAnswers() throws IOException, InterruptedException {
    Optional<String> program = Programs.find("envoy");
    if (program.isEmpty()) {
      return;
    }
    Path rules = DEPLOY.resolve("envoy-rules.yaml");
    Path config = directory.resolve("envoy.yaml");
    File log = directory.resolve("envoy.log").toFile();
    int port = Programs.freePort();
    try (Caller sluice = Caller.of(new ServerOptions().envoyConfig(rules))) {
      Caller.write(
          config,
          Files.readString(DEPLOY.resolve("envoy.yaml"))
              .replace("port_value: 10000", "port_value: " + port)
              .replace("port_value: 9000", "port_value: " + sluice.port())
              .replace("port_value: 8080", "port_value: " + sluice.port())
              .replace("failure_mode_deny: false", "failure_mode_deny: true")
              // A busy machine must not be taken for a service that does not answer.
              .replace("timeout: 0.1s", "timeout: 10s"));
      Process envoy =
          new ProcessBuilder(
                  program.get(),
                  "-c",
                  config.toString(),
                  "--use-dynamic-base-id",
                  "--concurrency",
                  "1",
                  "--log-level",
                  "warning")
              .redirectErrorStream(true)
              .redirectOutput(log)
              .start();
      try {
        HttpClient client = HttpClient.newHttpClient();
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .ignoreExceptions()
            .until(() -> get(client, port, "warm-up").statusCode() == 200);

        for (int left = 2; left >= 0; left--) {
          HttpResponse<String> passed = get(client, port, "alice");
          assertThat(passed.statusCode()).isEqualTo(200);
          assertThat(passed.headers().firstValue("x-ratelimit-remaining"))
              .hasValue(Integer.toString(left));
        }
        HttpResponse<String> denied = get(client, port, "alice");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("x-envoy-ratelimited")).hasValue("true");
        assertThat(denied.headers().firstValue("x-ratelimit-limit")).hasValue("3, 3;w=86400");
        assertThat(get(client, port, "bob").statusCode()).isEqualTo(200);
      } finally {
        envoy.destroy();
        assertThat(envoy.waitFor(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private static HttpResponse<String> get(HttpClient client, int port, String user)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + "/");
    HttpRequest request =
        HttpRequest.newBuilder(uri).header("x-user", user).timeout(Duration.ofSeconds(20)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }
}
