package dev.sluice.spring.method;

import dev.sluice.Decision;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A call that returns a {@code CompletableFuture} or {@code CompletionStage}; whatever goes wrong
 * is in it.
 *
 * <p>The limit is asked on the caller's thread, and the method runs there: were it started by the
 * answer of the store, transactions, security and logging contexts would be lost with the thread,
 * and only with a remote store. A call that must wait its turn is made later, on another thread.
 */
final class FutureCall implements CallKind {
  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // it is the result of the limited method
  public @Nullable Object make(LimitedCall call) throws Throwable {
    try {
      Decision decision = call.ask();
      if (!decision.allowed()) {
        return call.denied(decision);
      }
      return decision.waitTime().isZero() ? start(call, decision) : startLater(call, decision);
    } catch (Exception failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  @Override
  public CompletableFuture<Object> fail(RuntimeException invalid) {
    return CompletableFuture.failedFuture(invalid);
  }

  private static @Nullable Object start(LimitedCall call, Decision decision) throws Throwable {
    Object result;
    try {
      result = call.proceed();
    } catch (Throwable failure) {
      call.release(decision);
      throw failure;
    }
    if (result instanceof CompletionStage<?> stage) {
      stage.whenComplete((value, failure) -> call.release(decision));
    } else {
      call.release(decision);
    }
    return result;
  }

  private static CompletableFuture<Object> startLater(LimitedCall call, Decision decision) {
    CompletableFuture<Object> later = new CompletableFuture<>();
    Executor turn =
        CompletableFuture.delayedExecutor(decision.waitTime().toNanos(), TimeUnit.NANOSECONDS);
    turn.execute(
        () -> {
          if (later.isDone()) {
            call.giveBack(decision);
            return;
          }
          try {
            pass(start(call, decision), later);
          } catch (Throwable failure) {
            later.completeExceptionally(failure);
          }
        });
    return later;
  }

  private static void pass(@Nullable Object result, CompletableFuture<Object> later) {
    if (result instanceof CompletionStage<?> stage) {
      stage.whenComplete(
          (value, failure) -> {
            if (failure == null) {
              later.complete(value);
            } else {
              later.completeExceptionally(failure);
            }
          });
    } else {
      later.complete(result);
    }
  }
}
