package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.util.Exceptions;
import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.PolicyCheck;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** {@code /v1/checks}: several keys, all or nothing or each on its own. */
final class BatchRoutes {
  private static final int MOST = 100;

  private final Sluice sluice;

  BatchRoutes(Sluice sluice) {
    this.sluice = sluice;
  }

  void attach(Routes routes) {
    routes.add(HttpMethod.POST, "/v1/checks", this::post);
  }

  private CompletionStage<HttpResponse> post(Call call) {
    call.query();
    JsonBody body = call.body("together", "checks");
    boolean together = body.flag("together", false);
    List<Check> checks =
        body.objects("checks", "policy", "key", "cost").stream()
            .map(c -> new Check(c.text("policy"), c.text("key"), c.number("cost", 1)))
            .toList();
    if (checks.isEmpty() || checks.size() > MOST) {
      throw ProblemException.badRequest(
          "member 'checks': must have from 1 to %d items, got %d", MOST, checks.size());
    }
    // All are looked at before the first is charged: a bad request must charge nothing.
    List<RateLimiter> limiters = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      limiters.add(limiter(i, checks.get(i)));
    }
    // No policy is looked up again: one that a reload removes meanwhile still decides this batch.
    return together ? together(checks, limiters) : eachOnItsOwn(checks, limiters);
  }

  private RateLimiter limiter(int i, Check check) {
    RateLimiter limiter = Limiters.named(sluice, check.policy());
    String place = "member 'checks[" + i + "]";
    if (check.key().isEmpty()) {
      throw ProblemException.badRequest("%s.key': must not be empty", place);
    }
    if (check.cost() < 1 || check.cost() > Limit.MOST_PERMITS) {
      throw ProblemException.badRequest(
          "%s.cost': must be from 1 to %d, got %d", place, Limit.MOST_PERMITS, check.cost());
    }
    return limiter;
  }

  private CompletionStage<HttpResponse> together(List<Check> checks, List<RateLimiter> limiters) {
    List<PolicyCheck> found = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      Check check = checks.get(i);
      found.add(new PolicyCheck(limiters.get(i).policy(), check.key(), check.cost()));
    }
    return sluice.decideTogetherAsync(found).thenApply(Answers::together);
  }

  private static CompletionStage<HttpResponse> eachOnItsOwn(
      List<Check> checks, List<RateLimiter> limiters) {
    List<CompletableFuture<Optional<Decision>>> decisions = new ArrayList<>();
    for (int i = 0; i < checks.size(); i++) {
      decisions.add(ask(limiters.get(i), checks.get(i)));
    }
    return CompletableFuture.allOf(decisions.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> Answers.each(checks, decisions.stream().map(CompletableFuture::join).toList()));
  }

  /** Empty where the store failed and the policy denies: the others still get their answer. */
  private static CompletableFuture<Optional<Decision>> ask(RateLimiter limiter, Check check) {
    return limiter
        .tryAcquireAsync(check.key(), check.cost())
        .thenApply(Optional::of)
        .exceptionally(
            failure -> {
              if (Exceptions.peel(failure) instanceof StoreUnavailableException) {
                return Optional.empty();
              }
              throw new CompletionException(failure);
            });
  }
}
