package dev.sluice.spring.client;

import dev.sluice.client.Calls;
import dev.sluice.client.LimitExceededException;
import dev.sluice.client.Turn;
import dev.sluice.client.Turns;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Keeps the calls of a {@code WebClient} within a provider's limit: each waits its turn without a
 * thread, and what the provider says of its limits is heard. Who cancels gives the place back. A
 * call whose turn would come too late fails with {@link LimitExceededException}; of one that was
 * made and refused with 429 the last refusal is the answer.
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
    return Mono.fromFuture(turns::next)
        .flatMap(turn -> call(request, next, retries, turn, Mono.empty()))
        .doOnDiscard(Turn.class, Turn::giveBack); // cancelled just when the turn came
  }

  private Mono<ClientResponse> call(
      ClientRequest request, ExchangeFunction next, int left, Turn turn, Mono<Void> before) {
    return before
        .then(Mono.defer(() -> next.exchange(request)))
        .doOnError(failed -> turn.end())
        .doOnCancel(turn::end)
        .flatMap(response -> answered(request, next, left, turn, response));
  }

  private Mono<ClientResponse> answered(
      ClientRequest request, ExchangeFunction next, int left, Turn turn, ClientResponse response) {
    boolean refused = turn.refused(response.statusCode().value(), response.headers()::header);
    return refused && left > 0
        ? repeat(request, next, left - 1, response)
        : Mono.just(response.mutate().body(body -> body.doFinally(ended -> turn.end())).build());
  }

  /** Calls again in another turn; where none comes in time the refusal is the answer. */
  private Mono<ClientResponse> repeat(
      ClientRequest request, ExchangeFunction next, int left, ClientResponse refusal) {
    Mono<Void> release = refusal.releaseBody().onErrorComplete();
    return Mono.fromFuture(() -> turnAfter(release))
        .map(turn -> call(request, next, left, turn, release))
        .onErrorReturn(LimitExceededException.class, Mono.just(refusal))
        .flatMap(answer -> answer)
        .doOnDiscard(Turn.class, Turn::giveBack);
  }

  /** The next turn. Who stops waiting for it, or cannot have one, does not read the refusal. */
  private CompletableFuture<Turn> turnAfter(Mono<Void> release) {
    CompletableFuture<Turn> next = turns.next();
    CompletableFuture<Turn> unused =
        next.whenComplete(
            (turn, failure) -> {
              if (failure != null && !(failure instanceof LimitExceededException)) {
                release.subscribe();
              }
            });
    return next;
  }
}
