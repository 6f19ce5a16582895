package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.RedisFailure.Remedy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through the {@link Lanes}, until it is answered, given up or out of time.
 * It travels once. What the server says did not run is decided elsewhere, by an {@link Attempt};
 * after a timeout or a lost connection nobody knows, so that is final.
 */
final class Ticket extends Settlement<Decision> {
  /** What a ticket needs of its store. */
  interface Office {
    /** The request as a call of its plan's own script. */
    Call call(Request request);

    /** Decides over Lettuce, which knows every remedy; {@code undecided} is the reply, if any. */
    CompletableFuture<Decision> decideElsewhere(Ticket ticket, @Nullable List<Object> undecided);

    /** Leaves the server's connections and finds out anew where the primary is. */
    void reconnect(Ticket ticket);
  }

  private static final long MOMENT_NANOS = 100_000;
  private static final String UNREADABLE = ": the reply makes no sense";
  private static final String IMPOSSIBLE = ": the call cannot be made";

  private final Office office;
  private final Request request;
  private final Prepared plan;
  private final long startedNanos;
  private final long deadlineNanos;
  private final Store.@Nullable Ending then;
  private volatile @Nullable Thread waiter;

  /**
   * @param then what the outcome is made of, see {@link Store#decideAsync(Request, Store.Ending)};
   *     null for the answer as it is
   */
  Ticket(
      Office office,
      Breaker breaker,
      Request request,
      Prepared plan,
      Duration deadline,
      long startedNanos,
      Store.@Nullable Ending then) {
    super(breaker);
    this.office = office;
    this.request = request;
    this.plan = plan;
    this.startedNanos = startedNanos;
    this.deadlineNanos = startedNanos + deadline.toNanos();
    this.then = then;
  }

  @Override
  String policy() {
    return plan.plan.policy();
  }

  Request request() {
    return request;
  }

  Prepared plan() {
    return plan;
  }

  Call call() {
    return office.call(request);
  }

  long startedNanos() {
    return startedNanos;
  }

  /** Whether batch.lua knows all that there is to know about it. */
  boolean plain() {
    return plan.plain && request.mode() == Request.Mode.ACQUIRE;
  }

  /** The moment of {@link System#nanoTime} at which nobody waits any more. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Whether somebody still waits for it; asked before it leaves. */
  boolean wanted() {
    if (isDone()) {
      if (abandon()) {
        end(null, new CancellationException());
      }
      return false;
    }
    return true;
  }

  /** Ends as refused if the breaker is open. */
  boolean refused() {
    return barred() && fail(RedisFailure.BREAKER, ": not asked, the last calls failed", null);
  }

  /**
   * Waits for the outcome, at most until the deadline. An interrupt is kept for later: a wait this
   * short must not turn an interrupted caller's decision into a failure of the store.
   */
  Decision await() {
    boolean interrupted = false;
    waiter = Thread.currentThread();
    while (!isDone()) {
      long remaining = deadlineNanos() - System.nanoTime();
      if (remaining > 0) {
        LockSupport.parkNanos(this, remaining);
      } else if (!expire()) {
        // Decided elsewhere, with the same deadline: its outcome is on its way.
        LockSupport.parkNanos(this, MOMENT_NANOS);
      }
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return outcome();
  }

  /** The outcome of one that is done. */
  Decision outcome() {
    try {
      return join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof StoreUnavailableException known ? known : failed;
    }
  }

  void decided(Decision decision) {
    if (settle()) {
      end(decision, null);
    }
  }

  private void end(@Nullable Decision decision, @Nullable Throwable failure) {
    if (then != null) {
      try {
        complete(then.apply(decision, failure));
      } catch (RuntimeException | Error thrown) {
        // As a stage that follows another would tell it.
        completeExceptionally(
            thrown instanceof CompletionException ? thrown : new CompletionException(thrown));
      }
    } else if (failure == null) {
      complete(decision);
    } else {
      completeExceptionally(failure);
    }
    wake();
  }

  /** The reply of the plan's own script. */
  void answered(List<Object> reply) {
    try {
      if (Reply.undecided(reply)) {
        decideElsewhere(reply);
      } else {
        decided(Reply.decode(List.of(request), reply).get(0));
      }
    } catch (RuntimeException unreadable) {
      fail(RedisFailure.REPLY, UNREADABLE, unreadable);
    }
  }

  /** No call could be made of it. */
  void notSent(Throwable impossible) {
    if (abandon()) {
      end(null, told(RedisFailure.REPLY, IMPOSSIBLE, impossible));
    }
  }

  /** There is nobody any more to send it to, and it was not sent. */
  void sendElsewhere() {
    if (abandon()) {
      handOver(null);
    }
  }

  /** The server has not decided it, and nothing was done. */
  void decideElsewhere() {
    decideElsewhere(null);
  }

  private void decideElsewhere(@Nullable List<Object> undecided) {
    if (settle()) {
      handOver(undecided);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the outcome is this
  private void handOver(@Nullable List<Object> undecided) {
    CompletableFuture<Decision> elsewhere;
    try {
      elsewhere = office.decideElsewhere(this, undecided);
    } catch (RuntimeException | Error failed) {
      // It is settled, so nobody else would end the wait.
      String detail = undecided == null ? IMPOSSIBLE : UNREADABLE;
      elsewhere = CompletableFuture.failedFuture(told(RedisFailure.REPLY, detail, failed));
    }
    elsewhere.whenComplete(
        (decision, failure) -> {
          boolean wrapped = failure instanceof CompletionException && failure.getCause() != null;
          end(decision, wrapped ? failure.getCause() : failure);
        });
  }

  void failed(TransportException problem) {
    Remedy remedy = problem.failure().remedy();
    boolean unheard = problem.failure() == RedisFailure.MOVED;
    if (unheard || remedy == Remedy.RETRY) {
      decideElsewhere();
      return;
    }
    if (fail(problem.failure(), ": " + problem.getMessage(), problem)
        && remedy == Remedy.RECONNECT) {
      office.reconnect(this);
    }
  }

  /** Gives up, if it is time; whether that was so. */
  boolean expire(long nowNanos) {
    return nowNanos - deadlineNanos() >= 0 && expire();
  }

  private boolean expire() {
    if (!fail(
        RedisFailure.TIMEOUT,
        " within %d ms".formatted(TimeUnit.NANOSECONDS.toMillis(deadlineNanos - startedNanos)),
        null)) {
      return false;
    }
    if (probing()) {
      // The breaker opened, a pause went by, and still no word: this connection may be dead
      // without knowing it, as after a pulled cable.
      office.reconnect(this);
    }
    return true;
  }

  boolean fail(RedisFailure failure, String detail, @Nullable Throwable cause) {
    StoreUnavailableException told = settle(failure, detail, cause);
    if (told == null) {
      return false;
    }
    end(null, told);
    return true;
  }

  private void wake() {
    Thread thread = waiter;
    if (thread != null && thread != Thread.currentThread()) {
      LockSupport.unpark(thread);
    }
  }
}
