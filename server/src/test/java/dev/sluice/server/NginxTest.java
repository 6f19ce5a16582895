package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.server.http.Caller;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real nginx in front, with the configuration of {@code deploy/}. */
class NginxTest {
  private static final Path CONFIGURATION = Path.of("..", "deploy", "nginx.conf");
  // Where nginx may write when it is not root.
  private static final String PLACES =
      """
      http {
        access_log off;
        client_body_temp_path body;
        proxy_temp_path proxy;
        fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi;
        scgi_temp_path scgi;
      """;
  private static final String RULES =
      """
      policies: {demo: {limits: [{name: three, algorithm: sliding-log, permits: 3, per: 1h}]}}
      """;

  @TempDir Path directory;
  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void nginxLimitsByOurAnswersAndLetsPassWithoutThem() throws Exception {
    Optional<String> program = Programs.find("nginx");
    if (program.isEmpty()) {
      return;
    }
    int port = Programs.freePort();
    try (Caller application = Caller.of(new ServerOptions())) {
      Caller sluice = Caller.with(directory, RULES);
      Process nginx = start(program.get(), port, sluice.port(), application.port());
      try {
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> get(port) != null);
        sluice.admin(sluice.request("/v1/keys/demo/127.0.0.1").DELETE());
        for (int left = 2; left >= 0; left--) {
          HttpResponse<String> passed = get(port);
          assertThat(passed.statusCode()).isEqualTo(200);
          assertThat(passed.body()).isEqualTo("{\"status\":\"alive\"}");
          assertThat(passed.headers().firstValue("ratelimit").orElseThrow())
              .startsWith("\"three\";r=" + left);
        }
        HttpResponse<String> denied = get(port);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.body()).isEqualTo("too many requests\n");
        assertThat(denied.headers().firstValueAsLong("retry-after").orElseThrow())
            .isBetween(3_500L, 3_600L);
        assertThat(denied.headers().firstValue("ratelimit-policy"))
            .hasValue("\"three\";q=3;w=3600");
        sluice.server().close();
        assertThat(get(port).statusCode()).isEqualTo(200);
      } finally {
        nginx.destroy();
        assertThat(nginx.waitFor(20, TimeUnit.SECONDS)).isTrue();
        sluice.close();
      }
    }
  }

  private Process start(String program, int port, int sluice, int application) throws IOException {
    Path configuration = directory.resolve("nginx.conf");
    Caller.write(
        configuration,
        Files.readString(CONFIGURATION)
            .replace("http {\n", PLACES)
            .replace("127.0.0.1:8000", "127.0.0.1:" + port)
            .replace("127.0.0.1:8080", "127.0.0.1:" + sluice)
            .replace("127.0.0.1:9000", "127.0.0.1:" + application));
    return new ProcessBuilder(
            program,
            "-p",
            directory.toString(),
            "-c",
            configuration.toString(),
            "-e",
            "stderr",
            "-g",
            "daemon off; master_process off; pid nginx.pid;")
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("nginx.log").toFile())
        .start();
  }

  private HttpResponse<String> get(int port) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + "/healthz");
    return client.send(
        HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
