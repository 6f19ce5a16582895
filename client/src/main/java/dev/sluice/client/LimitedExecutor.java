package dev.sluice.client;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs tasks in turn: each starts when the limit lets it, in the order of submission, and holds no
 * thread until then. Safe for use by many threads.
 */
public final class LimitedExecutor implements Executor {
  private final Executor executor;
  private final Turns turns;

  private LimitedExecutor(Executor executor, Turns turns) {
    this.executor = executor;
    this.turns = turns;
  }

  /** Runs tasks on {@code executor}, each as one call. */
  public static LimitedExecutor of(Executor executor, Calls calls) {
    return new LimitedExecutor(executor, Turns.of(calls));
  }

  /**
   * Runs a task in its turn. A task whose turn would come too late is not run, and nobody is told:
   * use {@link #submit} where that matters. What a task throws goes to the handler of its thread,
   * as with other executors.
   *
   * @throws IllegalStateException if the policy has been removed
   */
  @Override
  public void execute(Runnable task) {
    turns.check();
    CompletableFuture<Boolean> unused =
        submit(
            () -> {
              try {
                task.run();
              } catch (RuntimeException | Error uncaught) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, uncaught);
              }
              return true;
            });
  }

  /**
   * Runs a task in its turn. The future fails with what the task throws, errors included, and with
   * {@link RejectedExecutionException} if its turn would come too late; cancelling it before gives
   * the place back.
   */
  public <T> CompletableFuture<T> submit(Callable<T> task) {
    Cancellable<T> result = new Cancellable<>();
    result.after(
        turns.next(),
        (turn, failure) -> {
          if (failure != null) {
            result.completeExceptionally(rejected(failure));
          } else {
            start(task, result, turn);
          }
        });
    return result;
  }

  private <T> void start(Callable<T> task, CompletableFuture<T> result, Turn turn) {
    try {
      executor.execute(() -> run(task, result, turn));
    } catch (RuntimeException | Error notStarted) {
      turn.giveBack();
      result.completeExceptionally(notStarted);
    }
  }

  private <T> void run(Callable<T> task, CompletableFuture<T> result, Turn turn) {
    if (result.isDone()) {
      turn.giveBack();
      return;
    }
    try {
      result.complete(task.call());
    } catch (Throwable failed) {
      result.completeExceptionally(failed);
    } finally {
      turn.end();
    }
  }

  private static Throwable rejected(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof LimitExceededException late
        ? new RejectedExecutionException(late.getMessage(), late)
        : failure;
  }
}
