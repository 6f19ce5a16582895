package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
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
  void storeThatIsNoneIsRefusedThoughItWouldOnlyBeUsedAfterARestart() {
    Caller.write(file, "store: rediss//foo\n" + TEN);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> Doc.of(caller.get("/v1/policies")).get("refused") != null);
    assertThat(caller.get("/metrics").body())
        .contains("sluice_config_reloads_total{outcome=\"failure\"} 1.0\n")
        .contains("sluice_config_reloads_total{outcome=\"success\"} 0.0\n");
  }

  @Test
  void vanishedFileLeavesTheRulesInForce() throws Exception {
    Files.delete(file);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> Doc.of(caller.get("/v1/policies")).get("refused") != null);
    assertThat(capacity()).isEqualTo(10);
  }

  /** Two policies that always change together: an answer that mixes them shows half a rule set. */
  private static String pair(int permits) {
    return """
    policies:
      p: {limits: [{name: l, algorithm: sliding-log, permits: %1$d, per: 1h}]}
      q: {limits: [{name: l, algorithm: sliding-log, permits: %1$d, per: 1h}]}
    """
        .formatted(permits);
  }

  @Test
  void noRequestFailsOrMeetsHalfARuleSetWhileRulesChange() {
    Caller.write(file, pair(10));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> caller.get("/v1/check/q/k").statusCode() == 200);
    AtomicBoolean changing = new AtomicBoolean(true);
    List<CompletableFuture<Integer>> clients =
        Stream.generate(
                () ->
                    CompletableFuture.supplyAsync(
                        () -> askBoth(changing), task -> new Thread(task).start()))
            .limit(4)
            .toList();
    for (int permits : new int[] {5, 7, 3}) {
      Caller.write(file, pair(permits));
      await().atMost(Duration.ofSeconds(30)).until(() -> capacity() == permits);
      // Refused as a whole: the first policy is good.
      Caller.write(file, pair(99) + "  r: {limits: [1/x]}\n");
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> Doc.of(caller.get("/v1/policies")).get("refused") != null);
      assertThat(capacity()).isEqualTo(permits);
    }
    changing.set(false);
    clients.forEach(client -> assertThat(client.join()).isPositive());
  }

  private int askBoth(AtomicBoolean changing) {
    int asked = 0;
    while (changing.get()) {
      HttpResponse<String> response =
          caller.post(
              "/v1/checks",
              "{\"together\":true,\"checks\":[{\"policy\":\"p\",\"key\":\"k\"},"
                  + "{\"policy\":\"q\",\"key\":\"k\"}]}");
      assertThat(response.statusCode()).isIn(200, 429);
      List<Long> capacities =
          Doc.list(Doc.of(response), "checks").stream()
              .map(check -> Doc.number(Doc.list(check, "limits").get(0), "capacity"))
              .toList();
      assertThat(capacities.get(0)).isEqualTo(capacities.get(1)).isLessThan(99);
      asked++;
    }
    return asked;
  }
}
