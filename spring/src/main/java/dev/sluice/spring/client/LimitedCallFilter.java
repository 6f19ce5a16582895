package dev.sluice.spring.client;

import dev.sluice.client.Calls;
import dev.sluice.client.LimitExceededException;
import dev.sluice.client.Turn;
import dev.sluice.client.Turns;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Keeps the calls of a {@code WebClient} within a provider's limit: each waits its turn without a
 * thread, and what the provider says of its limits is heard. Who cancels gives the place back. A
 * call whose turn would come too late fails with {@link LimitExceededException}.
 *
 * <p>What a call holds of a concurrency limit is free when the body of its response has ended.
 */
public final class LimitedCallFilter implements ExchangeFilterFunction {
  private final Turns turns;
  private final int retries;

  private LimitedCallFilter(Turns turns, int retries) {
    this.turns = turns;
    this.retries = retries;
  }

  /** Keeps calls within the limit of {@code calls}. */
  public static LimitedCallFilter of(Calls calls) {
    return new LimitedCallFilter(Turns.of(calls), calls.retries());
  }

  @Override
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    return attempt(request, next, retries);
  }

  private Mono<ClientResponse> attempt(ClientRequest request, ExchangeFunction next, int left) {
    return Mono.fromFuture(turns::next)
        .flatMap(
            turn ->
                next.exchange(request)
                    .doOnError(failed -> turn.end())
                    .doOnCancel(turn::end)
                    .flatMap(response -> answered(request, next, left, turn, response)))
        // Cancelled just when the turn came.
        .doOnDiscard(Turn.class, Turn::giveBack);
  }

  private Mono<ClientResponse> answered(
      ClientRequest request, ExchangeFunction next, int left, Turn turn, ClientResponse response) {
    boolean refused = turn.refused(response.statusCode().value(), response.headers()::header);
    return refused && left > 0
        ? response.releaseBody().then(attempt(request, next, left - 1))
        : Mono.just(response.mutate().body(body -> body.doFinally(ended -> turn.end())).build());
  }
}
