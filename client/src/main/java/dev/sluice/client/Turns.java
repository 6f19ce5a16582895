package dev.sluice.client;

import dev.sluice.Decision;
import dev.sluice.RateLimiter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Gives out turns: those of the limiter, and none while the provider asks to stay away. What the
 * clients of this package are made of, for those of other libraries. Safe for use by many threads.
 *
 * <p>A turn that comes up during a pause is given back and booked anew behind it. Kept, all turns
 * of the pause would be used at its end, at once.
 */
public final class Turns {
  private final Calls calls;

  private Turns(Calls calls) {
    this.calls = calls;
  }

  /** Turns for these calls. */
  public static Turns of(Calls calls) {
    return new Turns(calls);
  }

  /**
   * Completes when it is the caller's turn; fails with {@link LimitExceededException} at once if
   * that would take longer than the longest wait, and with {@link IllegalStateException} if the
   * policy has been removed. Cancelling it gives the place back.
   */
  public CompletableFuture<Turn> next() {
    Cancellable<Turn> next = new Cancellable<>();
    long deadline = System.nanoTime() + calls.maxWait().toNanos();
    try {
      attempt(next, deadline);
    } catch (RuntimeException | Error failure) {
      // In the future, as what goes wrong at a later attempt.
      next.completeExceptionally(failure);
    }
    return next;
  }

  /** Throws {@link IllegalStateException} if no turn can come, for the policy has been removed. */
  void check() {
    RateLimiter unused = calls.limiter();
  }

  /**
   * As {@link #next}, for a thread that waits: it wakes by itself, so less late than a future.
   *
   * @throws LimitExceededException if that would take longer than the longest wait
   * @throws InterruptedException if interrupted while waiting; the place is given back
   * @throws IllegalStateException if the policy has been removed
   */
  public Turn await() throws LimitExceededException, InterruptedException {
    long deadline = System.nanoTime() + calls.maxWait().toNanos();
    while (true) {
      long pause = calls.pause().leftNanos();
      long asked = System.nanoTime();
      long left = Math.max(0, deadline - asked);
      if (pause > left) {
        throw tooLong(pause);
      }
      if (pause > 0) {
        TimeUnit.NANOSECONDS.sleep(pause);
      } else {
        Decision decision =
            calls.limiter().acquire(calls.key(), calls.cost(), Duration.ofNanos(left));
        if (!decision.allowed()) {
          throw refused(decision);
        }
        Turn turn = new Turn(calls, decision, asked);
        if (calls.pause().leftNanos() == 0) {
          return turn;
        }
        turn.giveBack();
      }
    }
  }

  private void attempt(Cancellable<Turn> next, long deadline) {
    long pause = calls.pause().leftNanos();
    long left = Math.max(0, deadline - System.nanoTime());
    if (pause > left) {
      next.completeExceptionally(tooLong(pause));
    } else if (pause > 0) {
      CompletableFuture<Void> over =
          CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(pause, TimeUnit.NANOSECONDS));
      next.after(
          over,
          (nothing, failure) -> {
            if (failure == null) {
              attempt(next, deadline);
            } else {
              next.completeExceptionally(failure);
            }
          });
    } else {
      book(next, deadline, Duration.ofNanos(left));
    }
  }

  private void book(Cancellable<Turn> next, long deadline, Duration left) {
    long asked = System.nanoTime();
    next.after(
        calls.limiter().acquireAsync(calls.key(), calls.cost(), left),
        (decision, failure) -> {
          if (failure != null) {
            next.completeExceptionally(failure);
          } else if (!decision.allowed()) {
            next.completeExceptionally(refused(decision));
          } else {
            take(next, deadline, new Turn(calls, decision, asked));
          }
        });
  }

  private void take(Cancellable<Turn> next, long deadline, Turn turn) {
    if (calls.pause().leftNanos() > 0) {
      turn.giveBack();
      attempt(next, deadline);
    } else if (!next.complete(turn)) {
      turn.giveBack();
    }
  }

  private LimitExceededException tooLong(long pauseNanos) {
    String text =
        "provider '%s' asks to stay away for %d ms, longer than a call may wait"
            .formatted(calls.key(), TimeUnit.NANOSECONDS.toMillis(pauseNanos));
    return new LimitExceededException(text, Duration.ofNanos(pauseNanos));
  }

  private LimitExceededException refused(Decision decision) {
    String text = "no turn within %s: %s".formatted(calls.maxWait(), decision);
    return new LimitExceededException(text, decision.retryAfter());
  }
}
