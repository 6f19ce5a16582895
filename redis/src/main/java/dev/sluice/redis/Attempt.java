package dev.sluice.redis;

import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.RedisFailure.Remedy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One script call until it is answered, given up or out of time; then it is complete, with the
 * reply or with {@link StoreUnavailableException}, and the breaker knows.
 *
 * <p>A call is sent again only where the server has said that it did not run: with its source after
 * NOSCRIPT, as it was after TRYAGAIN or ASK. A timeout and a lost connection say nothing of the
 * kind, so one decision is charged at most once. {@code RedisStoreFaultTest} counts.
 */
final class Attempt extends Settlement<List<Object>> {
  // A migrating slot moves a key in well under a millisecond.
  private static final long RETRY_PAUSE_NANOS = 1_000_000;
  // Not the store's timer, which forgets what waits when it is closed: nobody would be told then.
  // Nor the thread that tells all timeouts of the JVM: who hears of a failure there may block it.
  private static final Executor SHORTLY =
      CompletableFuture.delayedExecutor(RETRY_PAUSE_NANOS, TimeUnit.NANOSECONDS);

  private final Transport transport;
  private final ScheduledExecutorService timer;
  private final String policy;
  private final Call call;
  private final Duration deadline;
  private final long deadlineNanos;
  private volatile @Nullable CompletableFuture<?> inFlight;

  Attempt(
      Transport transport,
      ScheduledExecutorService timer,
      Breaker breaker,
      String policy,
      Call call,
      long startedNanos,
      Duration deadline) {
    super(breaker);
    this.transport = transport;
    this.timer = timer;
    this.policy = policy;
    this.call = call;
    this.deadline = deadline;
    this.deadlineNanos = startedNanos + deadline.toNanos();
  }

  @Override
  String policy() {
    return policy;
  }

  /** Sends the call, unless the breaker is open. */
  Attempt start() {
    if (barred()) {
      fail(RedisFailure.BREAKER, ": not asked, the last calls failed", null);
    } else {
      send(Transport.Form.HASH);
    }
    return this;
  }

  /** Has the timer give up at the deadline. Not needed by who calls {@link #await}. */
  @SuppressWarnings("FutureReturnValueIgnored") // the timer's future fails only with the timer
  Attempt expiring() {
    if (!isDone()) {
      try {
        var expiry = timer.schedule(this::expire, remainingNanos(), TimeUnit.NANOSECONDS);
        whenComplete((reply, failure) -> expiry.cancel(false));
      } catch (RejectedExecutionException closed) {
        // The store is closed, and nobody else would end the wait.
        expire();
      }
    }
    return this;
  }

  /**
   * Waits for the outcome, at most until the deadline. An interrupt is kept for later: a wait this
   * short must not turn an interrupted caller's decision into a failure of the store.
   */
  List<Object> await() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return get(remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException later) {
          interrupted = true;
        } catch (TimeoutException late) {
          expire();
        } catch (ExecutionException failed) {
          throw unavailable(failed.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static RuntimeException unavailable(@Nullable Throwable cause) {
    return cause instanceof RuntimeException known ? known : new CompletionException(cause);
  }

  private long remainingNanos() {
    return Math.max(0, deadlineNanos - System.nanoTime());
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the outcome is this
  private void send(Transport.Form form) {
    CompletableFuture<List<Object>> reply = transport.send(call, form, deadlineNanos);
    inFlight = reply;
    if (isDone()) {
      reply.cancel(false);
    }
    reply.whenComplete((answer, failure) -> answered(form, answer, failure));
  }

  private void answered(
      Transport.Form form, @Nullable List<Object> answer, @Nullable Throwable failure) {
    if (answer != null) {
      if (settle()) {
        complete(answer);
      }
      return;
    }
    TransportException problem = problem(failure);
    Remedy remedy = problem.failure().remedy();
    if (isDone()) {
      return;
    }
    if (remedy == Remedy.SEND_SOURCE && form == Transport.Form.HASH) {
      send(Transport.Form.SOURCE);
    } else if (remedy == Remedy.RETRY && remainingNanos() > RETRY_PAUSE_NANOS) {
      SHORTLY.execute(() -> retry(form));
    } else {
      if (remedy == Remedy.RECONNECT) {
        transport.reconnect(call);
      }
      fail(problem.failure(), ": " + problem.getMessage(), problem);
    }
  }

  private void retry(Transport.Form form) {
    if (!isDone()) {
      send(form);
    }
  }

  /** What went wrong, in our words. */
  static TransportException problem(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof TransportException known
        ? known
        : new TransportException(RedisFailure.LOST, "the call was given up", cause);
  }

  private void expire() {
    if (fail(RedisFailure.TIMEOUT, " within %d ms".formatted(deadline.toMillis()), null)) {
      CompletableFuture<?> sent = inFlight;
      if (sent != null) {
        sent.cancel(false);
      }
      if (probing()) {
        // The breaker opened, a pause went by, and still no word: this connection may be dead
        // without knowing it, as after a pulled cable.
        transport.reconnect(call);
      }
    }
  }

  private boolean fail(RedisFailure failure, String detail, @Nullable Throwable cause) {
    StoreUnavailableException told = settle(failure, detail, cause);
    return told != null && completeExceptionally(told);
  }
}
