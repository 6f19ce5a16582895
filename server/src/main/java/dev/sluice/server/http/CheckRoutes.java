package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import dev.sluice.Decision;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/check}: one key of one policy. */
final class CheckRoutes {
  private final Sluice sluice;

  CheckRoutes(Sluice sluice) {
    this.sluice = sluice;
  }

  void attach(Routes routes) {
    routes
        .add(HttpMethod.GET, "/v1/check/{policy}/{key}", this::get)
        .add(HttpMethod.POST, "/v1/check", this::post);
  }

  private CompletionStage<HttpResponse> get(Call call) {
    Query query = call.query("cost", "deny", "mode");
    long cost = query.number("cost", 1);
    String mode = query.text("mode").orElse("acquire");
    return check(call.argument(0), call.argument(1), cost, mode, denied(query));
  }

  private CompletionStage<HttpResponse> post(Call call) {
    Query query = call.query("deny", "mode");
    JsonBody body = call.body("policy", "key", "cost", "mode");
    String mode = body.optionalText("mode").or(() -> query.text("mode")).orElse("acquire");
    return check(
        body.text("policy"), body.text("key"), body.number("cost", 1), mode, denied(query));
  }

  private static int denied(Query query) {
    String status = query.text("deny").orElse("429");
    return switch (status) {
      case "401", "403", "429" -> Integer.parseInt(status);
      default ->
          throw ProblemException.badRequest(
              "parameter 'deny': must be 401, 403 or 429, got '%s'", Shown.of(status));
    };
  }

  private CompletionStage<HttpResponse> check(
      String policy, String key, long cost, String mode, int denied) {
    RateLimiter limiter = Limiters.named(sluice, policy);
    CompletableFuture<Decision> decision =
        switch (mode) {
          case "acquire" -> limiter.tryAcquireAsync(key, cost);
          case "peek" -> limiter.peekAsync(key, cost);
          case "force" -> limiter.forceAsync(key, cost);
          default ->
              throw ProblemException.badRequest(
                  "mode: must be peek or force, got '%s'", Shown.of(mode));
        };
    return decision.thenApply(decided -> Answers.decision(decided, denied));
  }
}
