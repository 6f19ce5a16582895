package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.server.http.Caller;
import io.micrometer.core.instrument.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SluiceServerTest {
  @TempDir Path directory;

  @Test
  void portInUseIsOneClearLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> SluiceServer.start(new ServerOptions().httpPort(port)))
          .isInstanceOf(StartupException.class)
          .hasMessage("http port %d: cannot listen on 127.0.0.1: already in use".formatted(port));
    }
  }

  @Test
  void badFileIsToldWithItsLine() throws IOException {
    Path file = directory.resolve("p.yml");
    Files.writeString(file, "policies: {p: {}}\n");
    assertThatThrownBy(() -> SluiceServer.start(new ServerOptions().httpPort(0).config(file)))
        .isInstanceOf(StartupException.class)
        .hasMessage(file + ":1: policy 'p': limits is missing");
  }

  /** Else the slowest decision of all time would stay that of late. */
  @Test
  void clockOfTheMetersGoesOn() {
    try (Caller caller = Caller.of(new ServerOptions())) {
      Clock clock = caller.server().context().meters().config().clock();
      long before = clock.wallTime();
      assertThat(before).isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
      await().until(() -> clock.wallTime() > before);
    }
  }

  /**
   * As from a secret that ends in a line feed: every call would be refused, and nobody knew why.
   */
  @ParameterizedTest
  @ValueSource(strings = {"", "secret\n", " secret", "sec\tret", "gehe\u00EDm"})
  void tokenThatNoRequestCanCarryIsTold(String token) {
    assertThatThrownBy(
            () -> SluiceServer.start(new ServerOptions().httpPort(0).adminToken(token)).close())
        .isInstanceOf(StartupException.class)
        .hasMessage(
            "--admin-token: must be printable ASCII, not empty, without blanks or line ends around"
                + " it");
  }

  @Test
  void tokenMayHaveBlanksInside() {
    try (Caller caller = Caller.of(new ServerOptions().adminToken("open sesame"))) {
      assertThat(
              caller
                  .send(
                      caller
                          .request("/v1/keys/demo/k")
                          .header("Authorization", "Bearer open sesame")
                          .DELETE())
                  .statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void unknownStoreIsTold() {
    assertThatThrownBy(() -> SluiceServer.start(new ServerOptions().httpPort(0).store("disk:/x")))
        .isInstanceOf(StartupException.class)
        .hasMessage(
            "store 'disk:…': no store on the path understands this address; redis needs"
                + " sluice-redis");
  }

  @Test
  void storeOutOfReachDegradesUnlessItIsRequired() throws IOException {
    int closed;
    try (ServerSocket socket = new ServerSocket(0)) {
      closed = socket.getLocalPort();
    }
    String address = "redis://user:secret@127.0.0.1:" + closed;
    try (Caller caller = Caller.of(new ServerOptions().store(address))) {
      assertThat(caller.server().readyLine())
          .isEqualTo(
              "sluice ready http=127.0.0.1:%d store=redis://127.0.0.1:%d policies=2"
                  .formatted(caller.port(), closed));
      assertThat(caller.get("/readyz").statusCode()).isEqualTo(200);
      assertThat(caller.get("/readyz").body()).isEqualTo("{\"status\":\"degraded\"}");
      assertThat(caller.get("/v1/check/demo/k").body()).contains("\"degraded\":true");
      assertThat(caller.get("/metrics").body())
          .contains("# HELP sluice_store_failures_total Decisions that the store did not make\n")
          .contains("sluice_store_failures_total{reason=")
          .contains("sluice_breaker_state ")
          .contains(
              "sluice_decisions_total{limit=\"none\",outcome=\"degraded\",policy=\"demo\"} 1.0\n");
    }
    assertThatThrownBy(
            () ->
                SluiceServer.start(
                    new ServerOptions().httpPort(0).store(address).requireStore(true)))
        .isInstanceOf(StartupException.class)
        .hasMessage(
            "--require-store: redis: redis://user:***@127.0.0.1:%d is out of reach: Connection refused"
                .formatted(closed));
  }

  /** The first request of a young process would find the store slower than it may be. */
  @Test
  void firstDecisionsAreTheServersOwn() throws IOException {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Caller caller = Caller.of(new ServerOptions().store("redis://127.0.0.1:" + redis.port()))) {
      String stats = String.valueOf(redis.command("INFO", "commandstats"));
      assertThat(stats)
          .containsPattern("cmdstat_evalsha:calls=\\d{3,},")
          .contains("cmdstat_lrange");
      assertThat(caller.get("/metrics").body()).doesNotContain("sluice_decisions_total");
      assertThat(redis.command("KEYS", "*")).isEqualTo(List.of());
    }
  }

  /** It answers all that is only asked, and decides nothing. */
  @Test
  void storeThatTakesNoWritesIsDegraded() {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Caller caller = Caller.of(new ServerOptions().store(redis.uri()))) {
      assertThat(caller.get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}");

      redis.command("REPLICAOF", "127.0.0.1", "1");
      await()
          .untilAsserted(
              () ->
                  assertThat(caller.get("/readyz").body()).isEqualTo("{\"status\":\"degraded\"}"));

      redis.command("REPLICAOF", "NO", "ONE");
      await()
          .untilAsserted(
              () -> assertThat(caller.get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}"));
      assertThat(redis.command("KEYS", "*")).isEqualTo(List.of());
    }
  }

  @Test
  void storeFailureUnderDenyIs503AndNever429() throws IOException {
    int closed;
    try (ServerSocket socket = new ServerSocket(0)) {
      closed = socket.getLocalPort();
    }
    Path file = directory.resolve("deny.yml");
    Files.writeString(file, "policies: {p: {limits: [10/s], on-store-failure: deny}}\n");
    ServerOptions options = new ServerOptions().config(file).store("redis://127.0.0.1:" + closed);
    try (Caller caller = Caller.of(options)) {
      for (int i = 0; i < 20; i++) {
        var response = caller.get("/v1/check/p/k");
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body())
            .isEqualTo(
                "{\"type\":\"https://iana.org/assignments/http-problem-types"
                    + "#temporary-reduced-capacity\",\"title\":\"Temporarily reduced capacity\","
                    + "\"status\":503,\"detail\":\"the limit could not be checked; try again"
                    + " later\"}");
      }
      String batch = "{\"checks\":[{\"policy\":\"p\",\"key\":\"k\"}]}";
      assertThat(caller.post("/v1/checks", batch).statusCode()).isEqualTo(200);
      assertThat(caller.post("/v1/checks", batch).body())
          .isEqualTo(
              """
              {"allowed":false,"checks":[{"allowed":false,"policy":"p","key":"k","cost":1,\
              "status":503,"detail":"the limit could not be checked; try again later"}]}""");
      assertThat(
              caller
                  .post("/v1/checks", batch.replace("{\"ch", "{\"together\":true,\"ch"))
                  .statusCode())
          .isEqualTo(503);
    }
  }

  @Test
  void storeOfTheFileIsUsedUnlessTheCommandLineNamesOne() throws IOException {
    Path file = directory.resolve("store.yml");
    Files.writeString(file, "store: redis://127.0.0.1:1\npolicies: {p: {limits: [10/s]}}\n");
    try (Caller caller = Caller.of(new ServerOptions().config(file))) {
      assertThat(caller.server().readyLine()).contains(" store=redis://127.0.0.1:1 ");
    }
    try (Caller caller = Caller.of(new ServerOptions().config(file).store("memory"))) {
      assertThat(caller.server().readyLine()).contains(" store=memory ");
    }
  }

  @Test
  void closedServerHasGivenItsPortBack() throws IOException {
    Caller caller = Caller.of(new ServerOptions());
    int port = caller.port();
    caller.server().close();
    assertThat(caller.server().context().readiness().state()).isEqualTo(Readiness.State.DRAINING);
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
        .isInstanceOf(IOException.class);
  }

  @Test
  void topKeysAreForAdministratorsWhereOthersCanCall() {
    try (Caller caller = Caller.of(new ServerOptions().bind("0.0.0.0"))) {
      assertThat(caller.get("/v1/top").statusCode()).isEqualTo(403);
      assertThat(caller.get("/v1/check/demo/k").statusCode()).isEqualTo(200);
      assertThat(caller.server().readyLine()).startsWith("sluice ready http=0.0.0.0:");
    }
  }
}
