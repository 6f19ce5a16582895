package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.io.IOException;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several servers, each a process of its own, on one Redis. */
class FleetTest {
  private static final int PERMITS = 400;
  private static final Pattern HTTP = Pattern.compile("sluice ready http=(\\S+) .*");

  @TempDir Path directory;
  private final HttpClient client = HttpClient.newHttpClient();
  private RedisServer redis;
  private Path policies;

  private record Node(Cli process, String address) {}

  @BeforeEach
  void startRedis() throws Exception {
    redis = RedisServer.on(RedisBinary.bundled()).start();
    policies = directory.resolve("policies.yml");
    Files.writeString(
        policies,
        """
        policies:
          shared:
            limits: [{algorithm: sliding-log, permits: %d, per: 1h}]
            on-store-failure: deny
            deadline: 10s
        """
            .formatted(PERMITS));
  }

  @AfterEach
  void stopRedis() throws Exception {
    redis.close();
  }

  private Node start() throws IOException {
    Cli process =
        Cli.start(
            Map.of("SLUICE_CONFIG", policies.toString()),
            "serve",
            "--http-port",
            "0",
            "--resp-port",
            "0",
            "--store",
            redis.uri());
    String line = process.line();
    Matcher ready = HTTP.matcher(String.valueOf(line));
    assertThat(ready.matches()).as("%s %s", line, process.err()).isTrue();
    return new Node(process, ready.group(1));
  }

  private int status(Node node, String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + node.address() + path))
            .timeout(Duration.ofSeconds(30))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  @Test
  void killedServerLosesNothing() throws Exception {
    Node killed = start();
    Node other = start();
    try {
      int allowed = 0;
      for (int i = 0; i < 150; i++) {
        allowed += status(i % 2 == 0 ? killed : other, "/v1/check/shared/k") == 200 ? 1 : 0;
      }
      killed.process().kill();
      for (int i = 0; i < 300; i++) {
        allowed += status(other, "/v1/check/shared/k") == 200 ? 1 : 0;
      }
      assertThat(allowed).isEqualTo(PERMITS);
    } finally {
      killed.process().close();
      other.process().close();
    }
  }
}
