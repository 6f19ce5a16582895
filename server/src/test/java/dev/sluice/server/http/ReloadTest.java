package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadTest {
  private static final String TEN =
      "policies: {p: {limits: [{name: l, algorithm: sliding-log, permits: 10, per: 1h}]}}\n";

  @TempDir Path directory;
  private Path file;
  private Caller caller;

  @BeforeEach
  void start() {
    file = directory.resolve("policies.yml");
    caller = Caller.with(directory, TEN);
  }

  @AfterEach
  void stop() {
    caller.close();
  }

  private long capacity() {
    return Doc.number(Doc.list(Doc.of(caller.get("/v1/keys/p/k")), "limits").get(0), "capacity");
  }

  @Test
  void changedFileComesIntoForceAndKeepsWhatWasUsed() {
    caller.get("/v1/check/p/k?cost=4");
    Caller.write(file, TEN.replace("10", "5"));
    await().atMost(Duration.ofSeconds(30)).until(() -> capacity() == 5);
    assertThat(Doc.number(Doc.of(caller.get("/v1/keys/p/k")), "remaining")).isEqualTo(1);
    assertThat(caller.get("/metrics").body())
        .contains("sluice_config_reloads_total{outcome=\"success\"} 1.0\n");
  }

  @Test
  void brokenFileChangesNothingAndIsVisible() {
    Object loadedAt = Doc.of(caller.get("/v1/policies")).get("loadedAt");
    Caller.write(file, TEN.replace("10", "5") + "# and\nstore: [x]\n");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> Doc.of(caller.get("/v1/policies")).get("refused") != null);
    Map<String, Object> shown = Doc.of(caller.get("/v1/policies"));
    assertThat(((Map<?, ?>) shown.get("refused")).get("problems"))
        .isEqualTo(List.of(file + ":3: store must be one value, got a list"));
    assertThat(shown).containsEntry("loadedAt", loadedAt);
    assertThat(capacity()).isEqualTo(10);
    assertThat(caller.get("/metrics").body())
        .contains("sluice_config_reloads_total{outcome=\"failure\"} 1.0\n");

    Caller.write(file, TEN);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> Doc.of(caller.get("/v1/policies")).get("refused") == null);
  }

  @Test
  void vanishedFileLeavesTheRulesInForce() throws Exception {
    Files.delete(file);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> Doc.of(caller.get("/v1/policies")).get("refused") != null);
    assertThat(capacity()).isEqualTo(10);
  }

  @Test
  void noRequestFailsWhileRulesChange() {
    AtomicBoolean changing = new AtomicBoolean(true);
    CompletableFuture<Integer> served =
        CompletableFuture.supplyAsync(
            () -> {
              int count = 0;
              while (changing.get()) {
                int status = caller.get("/v1/check/p/k").statusCode();
                assertThat(status).isIn(200, 429);
                count++;
              }
              return count;
            });
    for (int permits : new int[] {5, 7, 3}) {
      Caller.write(file, TEN.replace("10", "" + permits));
      await().atMost(Duration.ofSeconds(30)).until(() -> capacity() == permits);
    }
    changing.set(false);
    assertThat(served.join()).isPositive();
  }
}
