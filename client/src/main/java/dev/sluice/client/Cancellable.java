package dev.sluice.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A future that cancels what it is waiting for when it is cancelled itself. */
final class Cancellable<T> extends CompletableFuture<T> {
  private final AtomicReference<@Nullable Future<?>> waitingFor = new AtomicReference<>();

  /**
   * Waits for something, and takes the next step when that has ended. What the step throws fails
   * this future: thrown inside a future's callback, nobody would hear of it.
   */
  <S> void after(CompletableFuture<S> awaited, BiConsumer<S, @Nullable Throwable> step) {
    waitingFor(awaited);
    CompletableFuture<S> unused =
        awaited.whenComplete(
            (value, failure) -> {
              try {
                step.accept(value, failure);
              } catch (Throwable thrown) {
                completeExceptionally(thrown);
              }
            });
  }

  private void waitingFor(Future<?> next) {
    waitingFor.set(next);
    // Cancelled between two steps, nobody else would tell the second.
    if (isCancelled()) {
      next.cancel(true);
    }
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    Future<?> current = waitingFor.get();
    if (cancelled && current != null) {
      current.cancel(true);
    }
    return cancelled;
  }
}
