package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import dev.sluice.Decision;
import dev.sluice.Sluice;
import dev.sluice.http.Problem;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/keys}: what is known of a key, and how administrators change it. */
final class KeyRoutes {
  private final Sluice sluice;
  private final Admin admin;

  KeyRoutes(Sluice sluice, Admin admin) {
    this.sluice = sluice;
    this.admin = admin;
  }

  void attach(Routes routes) {
    routes
        .add(HttpMethod.GET, "/v1/keys/{policy}/{key}", this::peek)
        .add(HttpMethod.DELETE, "/v1/keys/{policy}/{key}", admin.only(this::reset))
        .add(HttpMethod.POST, "/v1/keys/{policy}/{key}/refund", admin.only(this::refund));
  }

  private CompletionStage<HttpResponse> peek(Call call) {
    long cost = call.query("cost").number("cost", 1);
    return Limiters.named(sluice, call.argument(0))
        .peekAsync(call.argument(1), cost)
        .thenApply(Answers::state);
  }

  private CompletionStage<HttpResponse> reset(Call call) {
    call.query();
    CompletableFuture<Decision> done =
        Limiters.named(sluice, call.argument(0))
            .resetAsync(call.argument(1))
            .thenApply(KeyRoutes::changed);
    admin.audit(call, "reset", call.argument(0), call.argument(1), done);
    return done.thenApply(Answers::state);
  }

  private CompletionStage<HttpResponse> refund(Call call) {
    call.query();
    long cost = call.body("cost").number("cost");
    CompletableFuture<Decision> done =
        Limiters.named(sluice, call.argument(0))
            .refundAsync(call.argument(1), cost)
            .thenApply(KeyRoutes::changed);
    admin.audit(call, "refund " + cost, call.argument(0), call.argument(1), done);
    return done.thenApply(Answers::state);
  }

  /** What a policy says of a store that is out is for those who ask to pass. */
  private static Decision changed(Decision decision) {
    if (decision.degraded()) {
      throw new ProblemException(
          Problem.of(503, "Service Unavailable", "the store did not answer: nothing was changed"));
    }
    return decision;
  }
}
