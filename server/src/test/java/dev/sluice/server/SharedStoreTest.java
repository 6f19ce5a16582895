package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.server.http.Caller;
import dev.sluice.server.resp.Wire;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers on a real Redis. */
class SharedStoreTest {
  private static final Pattern LEASED = Pattern.compile("sluice_leases\\{policy=\"sliced\"} [1-9]");

  @TempDir Path directory;

  private Path policies() throws Exception {
    Path file = directory.resolve("p.yml");
    Files.writeString(
        file,
        """
        policies:
          fifty:
            limits: [{algorithm: sliding-log, permits: 50, per: 1h}]
            on-store-failure: deny
            deadline: 5s
          open: {limits: [10/s], deadline: 5s}
          sliced:
            limits: [{algorithm: sliding-log, permits: 100, per: 1h}]
            on-store-failure: deny
            deadline: 5s
            tier: leased
            max-leased: 50
        """);
    return file;
  }

  private static ServerOptions on(RedisServer redis, Path file) {
    return new ServerOptions().config(file).store(redis.uri());
  }

  @Test
  void twoServersShareALimitExactlyAndLoseNothingWhenOneGoes() throws Exception {
    Path file = policies();
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Caller one = Caller.of(on(redis, file))) {
      Caller other = Caller.of(on(redis, file));
      List<CompletableFuture<Integer>> asked =
          IntStream.range(0, 60)
              .mapToObj(
                  i ->
                      CompletableFuture.supplyAsync(
                          () -> (i % 2 == 0 ? one : other).get("/v1/check/fifty/k").statusCode(),
                          task -> new Thread(task).start()))
              .toList();
      List<Integer> statuses = asked.stream().map(CompletableFuture::join).toList();
      assertThat(statuses).filteredOn(status -> status == 200).hasSize(50);
      assertThat(statuses).filteredOn(status -> status == 429).hasSize(10);
      other.server().close();
      assertThat(one.get("/v1/check/fifty/k").statusCode()).isEqualTo(429);
    }
  }

  @Test
  void stoppedServerReturnsWhatItHadLeased() throws Exception {
    Path file = policies();
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Caller other = Caller.of(on(redis, file))) {
      int allowed = 0;
      try (Caller stopped = Caller.of(on(redis, file))) {
        for (boolean leased = false; !leased; allowed++) {
          assertThat(stopped.get("/v1/check/sliced/k").statusCode()).isEqualTo(200);
          leased = LEASED.matcher(stopped.get("/metrics").body()).find();
        }
        stopped.server().close();
      }
      for (int i = 0; i < 120; i++) {
        allowed += other.get("/v1/check/sliced/k").statusCode() == 200 ? 1 : 0;
      }
      assertThat(allowed).isEqualTo(100);
    }
  }

  /** Which the scripts decide faster than one that stands behind a name. */
  @Test
  void throttledKeyIsASingleNumberOnRedis() throws Exception {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Caller caller =
            Caller.of(on(redis, policies()).respPort(0).storeDeadline(Duration.ofSeconds(5)));
        Wire client = new Wire(caller.server().respPort().orElseThrow())) {
      assertThat(client.ask("CL.THROTTLE", "k", "15", "30", "60")).isEqualTo("[0, 16, 15, -1, 2]");
      assertThat(String.valueOf(redis.command("GET", "sl:{cl.throttle:k}"))).matches("-?[0-9]+");
    }
  }

  @Test
  void readinessFollowsTheStore() throws Exception {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Caller caller = Caller.of(on(redis, policies()))) {
      assertThat(caller.get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}");
      redis.stop();
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> caller.get("/readyz").body().equals("{\"status\":\"degraded\"}"));
      assertThat(caller.get("/readyz").statusCode()).isEqualTo(200);
      assertThat(caller.get("/v1/check/fifty/k").statusCode()).isEqualTo(503);
      assertThat(caller.get("/v1/check/open/k").statusCode()).isEqualTo(200);
      redis.restart();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> caller.get("/readyz").body().equals("{\"status\":\"ready\"}"));
      assertThat(caller.get("/v1/check/fifty/k").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void storeThatRefusesThePasswordIsOneLineWithoutIt() throws Exception {
    try (RedisServer redis =
        RedisServer.on(RedisBinary.bundled()).password("correct-horse").start()) {
      String wrong = "redis://:battery-staple@127.0.0.1:" + redis.port();
      assertThatThrownBy(() -> SluiceServer.start(new ServerOptions().httpPort(0).store(wrong)))
          .isInstanceOf(StartupException.class)
          .hasMessageNotContaining("battery-staple")
          .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
    }
  }
}
