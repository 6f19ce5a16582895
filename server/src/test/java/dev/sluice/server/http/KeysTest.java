package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.server.ServerOptions;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code /v1/keys}, and who may change them. */
class KeysTest extends ThreePolicies {
  @Test
  void keyIsShownWithoutChangingIt() {
    caller.get("/v1/check/a/k?cost=2");
    HttpResponse<String> shown = caller.get("/v1/keys/a/k");
    assertThat(shown.statusCode()).isEqualTo(200);
    assertThat(Doc.of(shown)).containsEntry("allowed", false).containsEntry("key", "k");
    assertThat(caller.get("/v1/keys/a/k").statusCode()).isEqualTo(200);
  }

  @Test
  void administratorsResetAndRefund() {
    caller.get("/v1/check/a/k?cost=2");
    HttpRequest.Builder refund =
        caller
            .request("/v1/keys/a/k/refund")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"cost\":1}"));
    HttpResponse<String> refunded = caller.admin(refund);
    assertThat(refunded.statusCode()).isEqualTo(200);
    assertThat(Doc.number(Doc.of(refunded), "remaining")).isEqualTo(1);
    HttpResponse<String> reset = caller.admin(caller.request("/v1/keys/a/k").DELETE());
    assertThat(reset.statusCode()).isEqualTo(200);
    assertThat(left("a", "k")).isEqualTo(2);
  }

  @Test
  void nothingIsChangedWhileTheStoreIsOut() {
    ServerOptions away = new ServerOptions().adminToken(Caller.TOKEN).store("redis://127.0.0.1:1");
    try (Caller outage = Caller.of(away)) {
      assertThat(outage.get("/v1/check/demo/k").statusCode()).isEqualTo(200);
      String nothing = "the store did not answer: nothing was changed";
      MistakesTest.assertProblem(
          outage.admin(outage.request("/v1/keys/demo/k").DELETE()), 503, nothing);
      MistakesTest.assertProblem(
          outage.admin(
              outage
                  .request("/v1/keys/demo/k/refund")
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString("{\"cost\":1}"))),
          503,
          nothing);
    }
  }

  @Test
  void othersNeitherResetNorRefund() {
    caller.get("/v1/check/a/k");
    HttpResponse<String> without = caller.delete("/v1/keys/a/k");
    MistakesTest.assertProblem(without, 401, "admin calls need Authorization: Bearer TOKEN");
    assertThat(without.headers().firstValue("www-authenticate")).hasValue("Bearer");
    for (String wrong : List.of("Bearer", "Bearer x", "Basic " + Caller.TOKEN, Caller.TOKEN)) {
      HttpResponse<String> response =
          caller.send(caller.request("/v1/keys/a/k").header("Authorization", wrong).DELETE());
      MistakesTest.assertProblem(response, 401, "admin calls need Authorization: Bearer TOKEN");
    }
    HttpResponse<String> refund = caller.post("/v1/keys/a/k/refund", "{\"cost\":1}");
    assertThat(refund.statusCode()).isEqualTo(401);
    assertThat(left("a", "k")).isEqualTo(1);
  }

  @Test
  void tokensAreNotGuessedQuickly() {
    HttpResponse<String> refused = null;
    for (int i = 0; i < 40; i++) {
      HttpResponse<String> guess =
          caller.send(
              caller.request("/v1/keys/a/k").header("Authorization", "Bearer " + i).DELETE());
      assertThat(guess.statusCode()).isIn(401, 429);
      refused = guess.statusCode() == 429 ? guess : refused;
    }
    MistakesTest.assertProblem(refused, 429, "too many wrong admin tokens from this address");
    assertThat(refused.headers().firstValue("retry-after")).hasValue("1");
    // A caller who offers nothing has not guessed, and others are not locked out for long.
    assertThat(caller.delete("/v1/keys/a/k").statusCode()).isEqualTo(401);
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> caller.admin(caller.request("/v1/keys/a/k").DELETE()).statusCode() == 200);
  }

  @Test
  void withoutATokenAdminCallsAreForbidden() {
    try (Caller bare = Caller.of(new ServerOptions())) {
      MistakesTest.assertProblem(
          bare.delete("/v1/keys/demo/k"), 403, "admin calls need a server with --admin-token");
      MistakesTest.assertProblem(
          bare.admin(bare.request("/v1/keys/demo/k").DELETE()),
          403,
          "admin calls need a server with --admin-token");
    }
  }
}
