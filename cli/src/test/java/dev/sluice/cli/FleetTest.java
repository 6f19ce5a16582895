package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several servers, each a process of its own, on one Redis. */
class FleetTest {
  private static final int PERMITS = 400;
  private static final Pattern HTTP = Pattern.compile("sluice ready http=(\\S+) .*");

  @TempDir Path directory;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
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
            // Longer than by default: a busy machine is slow to look at /readyz.
            Map.of("SLUICE_DRAIN_DELAY", "5s", "SLUICE_CONFIG", policies.toString()),
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
    return status(client, node, path);
  }

  private static int status(HttpClient client, Node node, String path)
      throws IOException, InterruptedException {
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

  @Test
  void rollingRestartUnderLoadFailsNoRequestAndLosesNoCount() throws Exception {
    List<Node> ready = new CopyOnWriteArrayList<>(List.of(start(), start()));
    AtomicBoolean loaded = new AtomicBoolean(true);
    AtomicInteger allowed = new AtomicInteger();
    List<CompletableFuture<Integer>> clients =
        Stream.of(HttpClient.Version.values())
            .map(version -> HttpClient.newBuilder().version(version).build())
            .flatMap(http -> Stream.of(http, http))
            .map(
                http ->
                    CompletableFuture.supplyAsync(
                        () -> load(http, ready, loaded, allowed), task -> new Thread(task).start()))
            .toList();
    try {
      for (Node old : List.copyOf(ready)) {
        ready.add(start());
        old.process().terminate();
        await().atMost(Duration.ofSeconds(30)).until(() -> !isReady(old));
        ready.remove(old);
        assertThat(old.process().await()).isZero();
      }
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  allowed.get() == PERMITS || clients.stream().anyMatch(CompletableFuture::isDone));
      loaded.set(false);
      clients.forEach(client -> assertThat(client.join()).isPositive());
    } finally {
      loaded.set(false);
      for (Node node : ready) {
        node.process().close();
      }
    }
    assertThat(allowed.get()).isEqualTo(PERMITS);
  }

  private boolean isReady(Node node) throws InterruptedException {
    try {
      return status(node, "/readyz") == 200;
    } catch (IOException gone) {
      return false;
    }
  }

  /** Asks as long as there is load; anything but a decision fails the test. */
  private static int load(
      HttpClient http, List<Node> ready, AtomicBoolean loaded, AtomicInteger allowed) {
    int asked = 0;
    while (loaded.get()) {
      Node[] nodes = ready.toArray(Node[]::new);
      Node node = nodes[asked % nodes.length];
      try {
        int status = status(http, node, "/v1/check/shared/k");
        assertThat(status).isIn(200, 429);
        allowed.addAndGet(status == 200 ? 1 : 0);
      } catch (IOException | InterruptedException failed) {
        throw new IllegalStateException("a request failed", failed);
      }
      asked++;
    }
    return asked;
  }
}
