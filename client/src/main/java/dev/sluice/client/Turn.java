package dev.sluice.client;

import dev.sluice.Decision;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives out turns: those of the limiter, and none while the provider asks to stay away.
 *
 * <p>A turn that comes up during such a pause is given back and booked anew behind it. Kept, all
 * turns of the pause would be used at its end, at once.
 */
final class Turn {
  private final Calls calls;
  // Until when the provider asks to stay away, by System.nanoTime.
  private final AtomicLong pausedUntil = new AtomicLong(System.nanoTime());

  Turn(Calls calls) {
    this.calls = calls;
  }

  /** Stays away for this long from now, or longer if that was asked for before. */
  void pause(Duration pause) {
    long until = System.nanoTime() + pause.toNanos();
    pausedUntil.accumulateAndGet(until, (a, b) -> a - b > 0 ? a : b);
  }

  private long pauseNanos() {
    return Math.max(0, pausedUntil.get() - System.nanoTime());
  }

  /**
   * Completes when it is the caller's turn, with what was charged; fails with {@link
   * LimitExceededException} at once if that would take longer than the longest wait. Cancelling it
   * gives the place back.
   */
  CompletableFuture<Decision> next() {
    Cancellable<Decision> turn = new Cancellable<>();
    attempt(turn, System.nanoTime() + calls.maxWait().toNanos());
    return turn;
  }

  private void attempt(Cancellable<Decision> turn, long deadline) {
    long pause = pauseNanos();
    long left = deadline - System.nanoTime();
    if (pause > Math.max(0, left)) {
      turn.completeExceptionally(
          new LimitExceededException(
              "provider '%s' asks to stay away for %d ms, longer than a call may wait"
                  .formatted(calls.key(), TimeUnit.NANOSECONDS.toMillis(pause)),
              Duration.ofNanos(pause)));
    } else if (pause > 0) {
      CompletableFuture<Void> over =
          CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(pause, TimeUnit.NANOSECONDS));
      turn.waitingFor(over);
      CompletableFuture<Void> unused = over.thenRun(() -> attempt(turn, deadline));
    } else {
      book(turn, deadline, Duration.ofNanos(Math.max(0, left)));
    }
  }

  private void book(Cancellable<Decision> turn, long deadline, Duration left) {
    CompletableFuture<Decision> booked =
        calls.limiter().acquireAsync(calls.key(), calls.cost(), left);
    turn.waitingFor(booked);
    CompletableFuture<Decision> unused =
        booked.whenComplete(
            (decision, failure) -> {
              if (failure != null) {
                turn.completeExceptionally(failure);
              } else if (!decision.allowed()) {
                turn.completeExceptionally(refused(decision));
              } else if (pauseNanos() > 0) {
                giveBack(decision);
                attempt(turn, deadline);
              } else if (!turn.complete(decision)) {
                giveBack(decision);
              }
            });
  }

  private LimitExceededException refused(Decision decision) {
    String text = "no turn within %s: %s".formatted(calls.maxWait(), decision);
    return new LimitExceededException(text, decision.retryAfter());
  }

  /** A call that was not made: its permits are for others. */
  void giveBack(Decision decision) {
    calls.limiter().giveBack(decision);
  }

  /** A call has ended: what it held, if anything, is free. */
  void release(Decision decision) {
    // Where the store is out of reach listeners have been told, and the lease ends by itself.
    decision
        .lease()
        .ifPresent(
            lease -> {
              CompletableFuture<Boolean> unused =
                  calls.sluice().releaseAsync(lease).exceptionally(outOfReach -> false);
            });
  }
}
