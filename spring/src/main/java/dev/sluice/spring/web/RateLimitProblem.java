package dev.sluice.spring.web;

import dev.sluice.StoreUnavailableException;
import dev.sluice.http.Problem;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.spring.InvalidCallException;
import dev.sluice.spring.RateLimitExceededException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * What a client is told of the exceptions of limited methods, in MVC and WebFlux alike. It learns
 * neither the key nor the policy.
 */
public final class RateLimitProblem {
  private RateLimitProblem() {}

  /** The problem of an exception; empty for those that have nothing to do with limits. */
  public static Optional<Problem> of(Throwable failure) {
    if (failure instanceof RateLimitExceededException denied) {
      return Optional.of(Problem.deniedToClient(List.of(denied.decision())));
    }
    if (failure instanceof StoreUnavailableException) {
      return Optional.of(Problem.storeUnavailable());
    }
    if (failure instanceof InvalidCallException invalid) {
      return Optional.of(Problem.badRequest(invalid.detail()));
    }
    return Optional.empty();
  }

  /** The headers that go with it. */
  public static void headers(
      Throwable failure, RateLimitHeaders headers, BiConsumer<String, String> header) {
    if (failure instanceof RateLimitExceededException denied) {
      headers.write(denied.decision(), header);
    }
  }
}
