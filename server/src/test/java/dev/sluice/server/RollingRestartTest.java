package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.linecorp.armeria.client.WebClient;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.server.envoy.EnvoyClient;
import dev.sluice.server.resp.Wire;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers on one Redis are restarted in turn, on their ports, while clients of every protocol
 * ask one that is ready. Connections are kept as long as the server lets them.
 */
class RollingRestartTest {
  private static final int PERMITS = 1_500;
  private static final int ROUNDS_AFTERWARDS = 20;

  @TempDir Path directory;

  private final AtomicBoolean loaded = new AtomicBoolean(true);
  private final AtomicInteger allowed = new AtomicInteger();

  /** A place for a server, as a load balancer knows it. */
  private static final class Node {
    private final ServerOptions options;
    private SluiceServer server;
    private final AtomicInteger generation = new AtomicInteger();
    private volatile boolean ready;

    Node(ServerOptions options) {
      this.options = options.httpPort(0).respPort(0).drainDelay(Duration.ofSeconds(4));
      this.server = SluiceServer.start(options);
      options.httpPort(server.httpPort()).respPort(server.respPort().orElseThrow());
      this.ready = true;
    }

    void restart() {
      server.close();
      server = SluiceServer.start(options);
      generation.incrementAndGet();
    }

    void stop() {
      options.drainDelay(Duration.ZERO);
      server.close();
    }

    URI uri(String path) {
      return URI.create("http://127.0.0.1:" + options.httpPort() + path);
    }

    void look(HttpClient health) {
      HttpRequest request = HttpRequest.newBuilder(uri("/readyz")).build();
      try {
        ready = health.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
      } catch (IOException gone) {
        ready = false;
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    }
  }

  /** Whether it was allowed; anything but a decision is an exception. */
  private interface Client {
    boolean ask(Node node) throws Exception;
  }

  private static Client http(HttpClient.Version version) {
    HttpClient client = HttpClient.newBuilder().version(version).build();
    return node -> {
      HttpRequest request =
          HttpRequest.newBuilder(node.uri("/v1/check/shared/k"))
              .timeout(Duration.ofSeconds(30))
              .build();
      return isAllowed(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
    };
  }

  private static Client armeria() {
    return node -> {
      WebClient client = WebClient.of("h2c://127.0.0.1:" + node.options.httpPort());
      return isAllowed(client.get("/v1/check/shared/k").aggregate().join().status().code());
    };
  }

  private static boolean isAllowed(int status) {
    assertThat(status).isIn(200, 429);
    return status == 200;
  }

  /** One connection a server: what a pool does when the load balancer has taken the server out. */
  private static Client resp() {
    Map<Node, Wire> connections = new HashMap<>();
    Map<Node, Integer> generations = new HashMap<>();
    return node -> {
      Integer generation = node.generation.get();
      if (!generation.equals(generations.put(node, generation))) {
        connections.put(node, new Wire(node.options.respPort().orElseThrow()));
      }
      String reply = connections.get(node).ask("SLUICE.CHECK", "shared", "k");
      assertThat(reply).matches("\\[[01], .*");
      return reply.startsWith("[1");
    };
  }

  /** Counted by a rule of its own. */
  private static Client grpc() {
    Map<Node, EnvoyClient> channels = new HashMap<>();
    return node -> {
      EnvoyClient channel =
          channels.computeIfAbsent(node, n -> new EnvoyClient(n.options.httpPort()));
      Code code = channel.ask(EnvoyClient.descriptor("a", "b")).getOverallCode();
      assertThat(code).isEqualTo(Code.OK);
      return false;
    };
  }

  private int load(Client client, List<Node> nodes) {
    int asked = 0;
    for (int i = 0; loaded.get(); i++) {
      Node node = nodes.get(i % nodes.size());
      if (node.ready) {
        try {
          allowed.addAndGet(client.ask(node) ? 1 : 0);
          asked++;
        } catch (Exception failed) {
          throw new IllegalStateException("request %d failed".formatted(asked), failed);
        }
      }
    }
    return asked;
  }

  private ServerOptions options(RedisServer redis) throws IOException {
    Path policies = directory.resolve("p.yml");
    Path envoy = directory.resolve("e.yaml");
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
    Files.writeString(
        envoy,
        "{domain: d, descriptors: [{key: a, rate_limit: {unit: day, requests_per_unit:"
            + " 1000000}}]}\n");
    return new ServerOptions()
        .config(policies)
        .envoyConfig(envoy)
        .store(redis.uri())
        .storeDeadline(Duration.ofSeconds(10));
  }

  @Test
  void rollingRestartUnderLoadFailsNoRequestAndLosesNoCount() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    ScheduledExecutorService balancer = Executors.newSingleThreadScheduledExecutor();
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start()) {
      List<Node> nodes = List.of(new Node(options(redis)), new Node(options(redis)));
      HttpClient health = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      ScheduledFuture<?> looking =
          balancer.scheduleWithFixedDelay(
              () -> nodes.forEach(node -> node.look(health)), 0, 50, TimeUnit.MILLISECONDS);
      List<Client> clients =
          List.of(
              http(HttpClient.Version.HTTP_1_1),
              http(HttpClient.Version.HTTP_2),
              armeria(),
              grpc(),
              resp());
      List<CompletableFuture<Integer>> load =
          clients.stream()
              .map(client -> CompletableFuture.supplyAsync(() -> load(client, nodes), threads))
              .toList();
      nodes.forEach(Node::restart);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  load.stream().anyMatch(CompletableFuture::isDone)
                      || (allowed.get() == PERMITS && nodes.stream().allMatch(node -> node.ready)));
      loaded.set(false);
      load.forEach(client -> assertThat(client.join()).isGreaterThan(ROUNDS_AFTERWARDS));
      looking.cancel(false);
      nodes.forEach(Node::stop);
    } finally {
      loaded.set(false);
      threads.shutdownNow();
      balancer.shutdownNow();
    }
    assertThat(allowed.get()).isEqualTo(PERMITS);
  }
}
