package dev.sluice;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Waits of a limiter's callers: for the turn that a booking tells, or for permits that are held.
 */
final class Waiting {
  // Held permits come back when somebody releases them, here or elsewhere: the one wait that polls.
  private static final long HELD_POLL_MICROS = 20_000;

  private final RateLimiter limiter;
  private final Asking asking;

  Waiting(RateLimiter limiter, Asking asking) {
    this.limiter = limiter;
    this.asking = asking;
  }

  /** Returns when it is the booking's turn; interrupted before, gives the place back. */
  Decision awaitTurn(Decision booked) throws InterruptedException {
    if (booked.allowed() && booked.waitMicros() > 0) {
      long until = System.nanoTime() + booked.waitMicros() * 1_000;
      for (long left; (left = until - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(this, left);
        if (Thread.interrupted()) {
          limiter.giveBack(booked);
          throw new InterruptedException(
              "interrupted while waiting for '%s' in policy '%s'"
                  .formatted(booked.key(), booked.policy()));
        }
      }
    }
    return booked;
  }

  /** Completes when it is the booking's turn; cancelled before, gives the place back. */
  CompletableFuture<Decision> turn(CompletableFuture<Decision> booking) {
    CompletableFuture<Decision> turn = new CompletableFuture<>();
    CompletableFuture<Decision> unused =
        booking.whenComplete((booked, failure) -> completeInTurn(turn, booked, failure));
    return turn;
  }

  private void completeInTurn(
      CompletableFuture<Decision> turn, @Nullable Decision decision, @Nullable Throwable failure) {
    if (failure != null) {
      turn.completeExceptionally(failure);
    } else if (decision != null && decision.allowed() && decision.waitMicros() > 0) {
      CompletableFuture<Decision> alarm = alarm(decision);
      CompletableFuture<Decision> unused =
          turn.whenComplete(
              (ignored, ended) -> {
                // Cancelled, or timed out: whoever ends the wait gives up the place.
                if (ended != null) {
                  alarm.complete(decision);
                  limiter.giveBack(decision);
                }
              });
      CompletableFuture<Void> unusedToo = alarm.thenAcceptAsync(turn::complete);
    } else if (decision != null && !turn.complete(decision)) {
      limiter.giveBack(decision);
    }
  }

  /** Completes when it is the booking's turn. Completed before, it leaves no timer behind. */
  private static CompletableFuture<Decision> alarm(Decision booked) {
    return new CompletableFuture<Decision>()
        .completeOnTimeout(booked, booked.waitMicros(), TimeUnit.MICROSECONDS);
  }

  private static Executor later(long micros) {
    return CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS);
  }

  /**
   * Asks again and again until the permits are there, or the wait is over or of no use. Listeners
   * hear of the end: one request was decided.
   */
  Decision hold(String key, long cost, long maxWaitMicros) throws InterruptedException {
    long started = System.nanoTime();
    for (long left = maxWaitMicros; ; left = left(maxWaitMicros, started)) {
      Policy asked = limiter.policy();
      long sent = asking.started(Request.Mode.BOOK);
      Decision decision = asking.answer(asked, Request.Mode.BOOK, key, cost, left, 0);
      if (isEnd(decision, left)) {
        return awaitTurn(asking.decided(asked, decision, sent));
      }
      TimeUnit.MICROSECONDS.sleep(Math.min(left, pause(decision)));
    }
  }

  private static long left(long maxWaitMicros, long started) {
    return Math.max(0, maxWaitMicros - (System.nanoTime() - started) / 1_000);
  }

  /** Held permits alone are waited for: any other limit knows when it has room. */
  private static boolean isEnd(Decision decision, long left) {
    return decision.allowed()
        || left == 0
        || decision.neverPasses()
        || decision.limits().stream()
            .anyMatch(l -> !l.allowed() && l.limit().algorithm() != Algorithm.CONCURRENCY);
  }

  /** As {@link #hold}, until the future is cancelled. */
  CompletableFuture<Decision> holdAsync(String key, long cost, long maxWaitMicros) {
    CompletableFuture<Decision> turn = new CompletableFuture<>();
    holdAsync(turn, key, cost, System.nanoTime(), maxWaitMicros);
    return turn;
  }

  private void holdAsync(
      CompletableFuture<Decision> turn, String key, long cost, long started, long longest) {
    if (turn.isDone()) {
      return;
    }
    long left = left(longest, started);
    Policy asked = limiter.policy();
    long sent = asking.started(Request.Mode.BOOK);
    CompletableFuture<Decision> unused =
        asking
            .answerAsync(asked, Request.Mode.BOOK, key, cost, left, 0, 0)
            .thenApply(
                decision ->
                    isEnd(decision, left) ? asking.decided(asked, decision, sent) : decision)
            .whenComplete(
                (decision, failure) -> {
                  if (failure != null || isEnd(decision, left)) {
                    completeInTurn(turn, decision, failure);
                  } else {
                    CompletableFuture<Void> unusedToo =
                        CompletableFuture.runAsync(
                                () -> holdAsync(turn, key, cost, started, longest),
                                later(Math.min(left, pause(decision))))
                            .exceptionally(
                                defect -> {
                                  turn.completeExceptionally(defect);
                                  return null;
                                });
                  }
                });
  }

  private static long pause(Decision decision) {
    return Math.max(1_000, Math.min(decision.retryAfterMicros(), HELD_POLL_MICROS));
  }
}
