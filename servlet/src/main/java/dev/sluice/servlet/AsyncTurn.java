package dev.sluice.servlet;

import dev.sluice.http.RequestLimiter;
import dev.sluice.http.Verdict;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A request that waits for its turn without a thread, and is then dispatched to where it was. */
final class AsyncTurn implements AsyncListener {
  private enum State {
    WAITING,
    DISPATCHED,
    LEFT
  }

  private final RequestLimiter limiter;
  private final Verdict verdict;
  private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

  private AsyncTurn(RequestLimiter limiter, Verdict verdict) {
    this.limiter = limiter;
    this.verdict = verdict;
  }

  static void start(RequestLimiter limiter, Verdict verdict, HttpServletRequest request) {
    AsyncTurn turn = new AsyncTurn(limiter, verdict);
    AsyncContext context = request.startAsync();
    long wait = verdict.waitTime().toMillis() + 1;
    // The wait is not the application's: it comes on top of the time that the application has.
    if (context.getTimeout() > 0) {
      context.setTimeout(context.getTimeout() + wait);
    }
    context.addListener(turn);
    CompletableFuture.delayedExecutor(verdict.waitTime().toNanos(), TimeUnit.NANOSECONDS)
        .execute(() -> turn.dispatch(context));
  }

  private void dispatch(AsyncContext context) {
    if (state.compareAndSet(State.WAITING, State.DISPATCHED)) {
      context.dispatch();
    }
  }

  /** The client left, or the container stops, before the turn came. */
  private void left() {
    if (state.compareAndSet(State.WAITING, State.LEFT)) {
      limiter.giveBack(verdict);
    }
  }

  /** The response has ended: of a request that was dispatched, with its permits. */
  @Override
  public void onComplete(AsyncEvent event) {
    left();
    limiter.release(verdict);
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    left();
  }

  @Override
  public void onError(AsyncEvent event) {
    left();
  }

  /** The application goes asynchronous itself: containers forget listeners then. */
  @Override
  public void onStartAsync(AsyncEvent event) {
    event.getAsyncContext().addListener(this);
  }
}
