package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ServerOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server tells about itself. */
class StatusTest extends ThreePolicies {
  @Test
  void builtInPoliciesExistWithoutAFile() {
    try (Caller bare = Caller.of(new ServerOptions())) {
      assertThat(bare.get("/v1/check/demo/alice").statusCode()).isEqualTo(200);
      for (int i = 0; i < 5; i++) {
        assertThat(bare.get("/v1/check/login/alice").statusCode()).isEqualTo(200);
      }
      assertThat(bare.get("/v1/check/login/alice").statusCode()).isEqualTo(429);
      assertThat(bare.server().readyLine())
          .isEqualTo(
              "sluice ready http=127.0.0.1:%d store=memory policies=2".formatted(bare.port()));
    }
  }

  @Test
  void topKeysAreThoseDeniedMost() {
    for (int i = 0; i < 5; i++) {
      caller.get("/v1/check/a/busy");
      caller.get("/v1/check/b/less");
    }
    List<Map<String, Object>> all = Doc.list(Doc.of(caller.get("/v1/top")), "keys");
    assertThat(all).extracting(key -> key.get("key")).containsExactly("busy", "less");
    assertThat(Doc.number(all.get(0), "denied")).isEqualTo(3);
    assertThat(all.get(0)).containsEntry("limit", "two").containsEntry("policy", "a");
    assertThat(Doc.list(Doc.of(caller.get("/v1/top?policy=b")), "keys"))
        .extracting(key -> key.get("key"))
        .containsExactly("less");
  }

  @Test
  void rulesInForceAreShown() {
    Map<String, Object> shown = Doc.of(caller.get("/v1/policies"));
    assertThat(shown)
        .containsEntry("source", directory.resolve("policies.yml").toString())
        .containsEntry("store", "memory")
        .containsEntry("refused", null);
    assertThat(Doc.list(shown, "policies"))
        .extracting(policy -> policy.get("name"))
        .containsExactly("a", "b", "slow");
  }

  @Test
  void calendarWindowsAreShownInWholeDays(@TempDir Path other) {
    String rules =
        "policies: {q: {limits: [{name: w, algorithm: fixed-window, permits: 5, per: week}]}}\n";
    try (Caller quota = Caller.with(other, rules)) {
      Map<String, Object> policy = Doc.list(Doc.of(quota.get("/v1/policies")), "policies").get(0);
      assertThat(Doc.number(Doc.list(policy, "limits").get(0), "perMillis")).isEqualTo(604_800_000);
      assertThat(quota.get("/v1/check/q/k").headers().firstValue("ratelimit-policy"))
          .hasValue("\"w\";q=5;w=604800");
    }
  }

  @Test
  void healthReadinessAndMetricsAnswer() {
    assertThat(caller.get("/healthz").body()).isEqualTo("{\"status\":\"alive\"}");
    assertThat(caller.get("/readyz").body()).isEqualTo("{\"status\":\"ready\"}");
    caller.get("/v1/check/a/k?cost=2");
    caller.get("/v1/check/a/k");
    caller.get("/v1/check/a/k?cost=0");
    String metrics = caller.get("/metrics").body();
    assertThat(metrics)
        .contains("sluice_decisions_total{limit=\"two\",outcome=\"allowed\",policy=\"a\"} 1.0\n")
        .contains("sluice_decisions_total{limit=\"two\",outcome=\"denied\",policy=\"a\"} 1.0\n")
        .contains("sluice_decisions_total{limit=\"none\",outcome=\"invalid\",policy=\"a\"} 1.0\n")
        .contains("sluice_decision_seconds_bucket{policy=\"a\",le=\"0.02\"}")
        .contains("sluice_store_seconds_count ")
        .contains("sluice_keys 1.0\n")
        .contains("# HELP sluice_config_reloads_total Changed files, put in force or refused\n")
        .contains("sluice_config_reloads_total{outcome=\"failure\"} 0.0\n");
  }

  @Test
  void metricsDoNotGrowWithKeys() {
    caller.get("/v1/check/a/first?cost=2");
    caller.get("/v1/check/a/first");
    long before = caller.get("/metrics").body().lines().count();
    for (int i = 0; i < 300; i++) {
      caller.get("/v1/check/a/key" + i + "?cost=2");
      caller.get("/v1/check/a/key" + i);
    }
    assertThat(caller.get("/metrics").body().lines().count()).isEqualTo(before);
  }
}
