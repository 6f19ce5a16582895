package dev.sluice.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A future that cancels what it is waiting for when it is cancelled itself. */
final class Cancellable<T> extends CompletableFuture<T> {
  private final AtomicReference<@Nullable Future<?>> waitingFor = new AtomicReference<>();

  /** Names what this future waits for now. */
  void waitingFor(Future<?> next) {
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
