package dev.sluice.spring.reactive;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * One subscriber on its way past a limit: what it took is given back if it leaves before its turn
 * came, and what it holds is released when it is done. It may leave at any moment, also before the
 * store has answered.
 *
 * @param <T> what the store answers
 */
public final class Turn<T> {
  private final Consumer<T> release;
  private final Consumer<T> giveBack;
  private @Nullable T answer;
  private boolean entered;
  private boolean left;

  /** A turn that releases, or gives back, what its answer holds. */
  public Turn(Consumer<T> release, Consumer<T> giveBack) {
    this.release = release;
    this.giveBack = giveBack;
  }

  /** The answer of the store. A question that was asked cannot be taken back, only its answer. */
  public Mono<T> answer(CompletableFuture<T> asked) {
    CompletableFuture<T> seen =
        asked.thenApply(
            given -> {
              decided(given);
              return given;
            });
    Mono<T> answered = Mono.fromFuture(seen, true);
    // The few threads of a remote store must not be kept from it by the application's work.
    return seen.isDone() ? answered : answered.publishOn(Schedulers.parallel());
  }

  private synchronized void decided(T given) {
    answer = given;
    if (left) {
      settle(given);
    }
  }

  /** The turn has come: the subscriber goes on. */
  public synchronized void enter() {
    entered = true;
  }

  /** The subscriber is done, or has gone. */
  public synchronized void leave() {
    left = true;
    if (answer != null) {
      settle(answer);
    }
  }

  private void settle(T given) {
    (entered ? release : giveBack).accept(given);
  }
}
