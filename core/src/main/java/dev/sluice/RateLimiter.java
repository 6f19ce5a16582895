package dev.sluice;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a key may do something now. Safe for use by many threads; made by {@link Sluice}.
 *
 * <pre>{@code
 * RateLimiter limiter = Sluice.inMemory().limiter("api", Limit.parse("10/s burst 20"));
 * Decision decision = limiter.tryAcquire("user:42");
 * if (!decision.allowed()) {
 *   retryIn(decision.retryAfter());
 * }
 * }</pre>
 *
 * <p>A key is any text that is not empty, a cost any whole number from 1. A cost that can never
 * pass is denied at once ({@link Decision#neverPasses}). What a failed store means is the policy's
 * to say: the answer is marked {@link Decision#degraded}, or {@link StoreUnavailableException} is
 * thrown. Every method has an asynchronous form; both ask the same store.
 */
public final class RateLimiter {
  // Held permits come back when somebody releases them, here or elsewhere: the one wait that polls.
  private static final Duration HELD_POLL = Duration.ofMillis(20);
  private static final Duration LONGEST_WAIT = Duration.ofDays(365);

  private final Sluice sluice;
  private volatile Policy policy;
  // In a field of its own, so that a decision is a single look away.
  private volatile Gate gate = this::takeNow;

  RateLimiter(Sluice sluice, Policy policy) {
    this.sluice = sluice;
    this.policy = policy;
  }

  /** The policy in force. */
  public Policy policy() {
    return policy;
  }

  /** Puts another policy of the same name in force. What was used stays used. */
  void replace(Policy replacement) {
    this.policy = replacement;
    chooseGate();
  }

  /** Takes the store's shorter way where the policy allows it, and nobody listens. */
  void chooseGate() {
    Plan plan = policy.plainPlan();
    gate =
        plan == null || sluice.listens() ? this::takeNow : sluice.front().gate(plan, this::takeNow);
  }

  /** Takes one permit if there is one now. */
  public Decision tryAcquire(String key) {
    return tryAcquire(key, 1);
  }

  /** Takes {@code cost} permits from every limit if all have them now, or none from any. */
  public Decision tryAcquire(String key, long cost) {
    return gate.tryAcquire(key, cost);
  }

  private Decision takeNow(String key, long cost) {
    Policy asked = policy;
    Plan plan = asked.plainPlan();
    if (plan != null
        && cost >= 1
        && cost <= plan.capacity()
        && Keys.isCanonical(key)
        && !sluice.listens()) {
      try {
        Decision decision = sluice.front().tryAcquire(plan, key, cost);
        return isFor(decision, key) ? decision : decision.forKey(key);
      } catch (StoreUnavailableException failure) {
        return onFailure(asked, Request.acquire(plan, key, cost), key, failure);
      }
    }
    return ask(Request.Mode.ACQUIRE, key, cost, 0, 0);
  }

  /** As {@link #tryAcquire(String)}, without blocking. */
  public CompletableFuture<Decision> tryAcquireAsync(String key) {
    return tryAcquireAsync(key, 1);
  }

  /** As {@link #tryAcquire(String, long)}, without blocking. */
  public CompletableFuture<Decision> tryAcquireAsync(String key, long cost) {
    return askAsync(Request.Mode.ACQUIRE, key, cost, 0, 0);
  }

  /**
   * Waits its turn for one permit, up to {@code maxWait}.
   *
   * @see #acquire(String, long, Duration)
   */
  public Decision acquire(String key, Duration maxWait) throws InterruptedException {
    return acquire(key, 1, maxWait);
  }

  /**
   * Books a place in the order of arrival, and returns when it is its turn. Answers at once,
   * denied, if that would take longer than {@code maxWait}. Permits that are held are waited for.
   *
   * @throws InterruptedException if interrupted while waiting; the place is given back
   */
  public Decision acquire(String key, long cost, Duration maxWait) throws InterruptedException {
    long started = System.nanoTime();
    if (isConcurrent(key)) {
      return hold(key, cost, started, maxWait);
    }
    Decision decision = ask(Request.Mode.BOOK, key, cost, micros("maxWait", maxWait), 0);
    if (decision.allowed() && decision.waitMicros() > 0) {
      long until = System.nanoTime() + decision.waitMicros() * 1_000;
      for (long left; (left = until - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(this, left);
        if (Thread.interrupted()) {
          giveBack(decision);
          throw new InterruptedException(
              "interrupted while waiting for '%s' in policy '%s'"
                  .formatted(key, decision.policy()));
        }
      }
    }
    return decision;
  }

  /**
   * As {@link #acquire(String, long, Duration)}: completes when it is its turn, or denied at once.
   * Cancelling the future gives the place back.
   */
  public CompletableFuture<Decision> acquireAsync(String key, long cost, Duration maxWait) {
    long longest = micros("maxWait", maxWait);
    CompletableFuture<Decision> turn = new CompletableFuture<>();
    if (isConcurrent(key)) {
      holdAsync(turn, key, cost, System.nanoTime(), longest);
    } else {
      CompletableFuture<Decision> unused =
          askAsync(Request.Mode.BOOK, key, cost, longest, 0)
              .whenComplete((decision, failure) -> completeInTurn(turn, decision, failure));
    }
    return turn;
  }

  private void completeInTurn(
      CompletableFuture<Decision> turn, @Nullable Decision decision, @Nullable Throwable failure) {
    if (failure != null) {
      turn.completeExceptionally(failure);
    } else if (decision != null && decision.allowed() && decision.waitMicros() > 0) {
      CompletableFuture<Decision> unused =
          turn.whenComplete(
              (ignored, ended) -> {
                // Cancelled, or timed out: whoever ends the wait gives up the place.
                if (ended != null) {
                  giveBack(decision);
                }
              });
      later(decision.waitMicros()).execute(() -> turn.complete(decision));
    } else if (decision != null && !turn.complete(decision)) {
      giveBack(decision);
    }
  }

  private static Executor later(long micros) {
    return CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS);
  }

  private boolean isConcurrent(String key) {
    checkKey(key);
    Plan plan = policy.planFor(key);
    return plan != null && plan.concurrent();
  }

  private Decision hold(String key, long cost, long started, Duration maxWait)
      throws InterruptedException {
    long longest = micros("maxWait", maxWait);
    while (true) {
      Decision decision = tryAcquire(key, cost);
      long left = longest - (System.nanoTime() - started) / 1_000;
      if (decision.allowed() || decision.neverPasses() || left <= 0) {
        return decision;
      }
      TimeUnit.MICROSECONDS.sleep(Math.min(left, pause(decision)));
    }
  }

  /** Asks again and again until the permits are there, the wait is over or {@code turn} ended. */
  private void holdAsync(
      CompletableFuture<Decision> turn, String key, long cost, long started, long longest) {
    if (turn.isDone()) {
      return;
    }
    CompletableFuture<Decision> unused =
        tryAcquireAsync(key, cost)
            .whenComplete(
                (decision, failure) -> {
                  long left = longest - (System.nanoTime() - started) / 1_000;
                  if (failure != null
                      || decision.allowed()
                      || decision.neverPasses()
                      || left <= 0) {
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
    return Math.max(1_000, Math.min(decision.retryAfterMicros(), HELD_POLL.toNanos() / 1_000));
  }

  /** Answers as {@link #tryAcquire(String)} would, and takes nothing. */
  public Decision peek(String key) {
    return peek(key, 1);
  }

  /** Answers as {@link #tryAcquire(String, long)} would, and takes nothing. */
  public Decision peek(String key, long cost) {
    return ask(Request.Mode.PEEK, key, cost, 0, 0);
  }

  /** As {@link #peek(String, long)}, without blocking. */
  public CompletableFuture<Decision> peekAsync(String key, long cost) {
    return askAsync(Request.Mode.PEEK, key, cost, 0, 0);
  }

  /**
   * Always passes, and takes what there is, up to {@code cost}; {@link Decision#forced} tells
   * whether that was less.
   */
  public Decision force(String key, long cost) {
    return ask(Request.Mode.FORCE, key, cost, 0, 0);
  }

  /** As {@link #force}, without blocking. */
  public CompletableFuture<Decision> forceAsync(String key, long cost) {
    return askAsync(Request.Mode.FORCE, key, cost, 0, 0);
  }

  /** Gives permits back, never more than were used; the newest first where that matters. */
  public Decision refund(String key, long cost) {
    return ask(Request.Mode.GIVE_BACK, key, cost, 0, 0);
  }

  /** As {@link #refund}, without blocking. */
  public CompletableFuture<Decision> refundAsync(String key, long cost) {
    return askAsync(Request.Mode.GIVE_BACK, key, cost, 0, 0);
  }

  /** Forgets the key: held permits, bookings and reservations included. */
  public Decision reset(String key) {
    return ask(Request.Mode.RESET, key, 1, 0, 0);
  }

  /** As {@link #reset}, without blocking. */
  public CompletableFuture<Decision> resetAsync(String key) {
    return askAsync(Request.Mode.RESET, key, 1, 0, 0);
  }

  /**
   * Takes permits for a request whose cost is known only afterwards, booking a place up to {@code
   * maxWait} ahead. The caller waits {@link Decision#waitTime}, does its work, and settles.
   *
   * @param ttl how long it may take to settle; after that the permits are given back
   */
  public Reservation reserve(String key, long cost, Duration maxWait, Duration ttl) {
    long longest = micros("maxWait", maxWait);
    return reservation(key, ask(Request.Mode.RESERVE, key, cost, longest, ttl(ttl)));
  }

  /** As {@link #reserve}, without blocking. */
  public CompletableFuture<Reservation> reserveAsync(
      String key, long cost, Duration maxWait, Duration ttl) {
    long longest = micros("maxWait", maxWait);
    return askAsync(Request.Mode.RESERVE, key, cost, longest, ttl(ttl))
        .thenApply(decision -> reservation(key, decision));
  }

  private static long ttl(Duration ttl) {
    long micros = micros("ttl", ttl);
    if (micros == 0) {
      throw new IllegalArgumentException("ttl must be positive, got " + ttl);
    }
    return micros;
  }

  private Reservation reservation(String key, Decision decision) {
    String id = decision.lease().orElse("");
    boolean held = isConcurrent(key);
    return new Reservation(id, held ? decision : decision.withLease(null));
  }

  /**
   * Settles a reservation with what it really cost: gives the difference back, or takes it as
   * {@link #force} does. Repeating it changes nothing, and neither does settling it otherwise.
   *
   * @param actual what the request cost, 0 for nothing
   * @return whether it is settled with that cost: false if it was settled with another before, or
   *     if no such reservation is known, for it expired or was never made
   */
  public boolean commit(String reservationId, long actual) {
    return sluice.commit(reservationId, actual);
  }

  /** Gives a reservation back: the same as {@link #commit committing} it at no cost. */
  public boolean cancel(String reservationId) {
    return commit(reservationId, 0);
  }

  /** Gives back a booking or a charge of which the answer was {@code decision}. */
  public void giveBack(Decision decision) {
    decision
        .lease()
        .map(lease -> PermitId.parse("lease", lease).nonce())
        .ifPresent(id -> change(decision, Request.Mode.RELEASE, id));
    change(decision, Request.Mode.GIVE_BACK, null);
  }

  /**
   * Counts from now what was taken with {@code decision}, for a request that passed later than it
   * was told to. Matters to sliding logs only. Asked for twice, it counts twice.
   */
  public void postpone(Decision decision) {
    change(decision, Request.Mode.POSTPONE, null);
  }

  private void change(Decision decision, Request.Mode mode, @Nullable String id) {
    // A shadow's denial let something through, and took nothing.
    if (!decision.allowed() || decision.shadow() || decision.limits().isEmpty()) {
      return;
    }
    Policy given = policy;
    Plan plan = (decision.degraded() ? given.share() : given).planFor(decision.key());
    if (plan == null) {
      return;
    }
    Store store = decision.degraded() ? sluice.local() : sluice.front();
    String key = Keys.canonical(decision.key());
    long at = decision.passesAtMicros();
    CompletableFuture<Decision> unused =
        store
            .decideAsync(new Request(plan, key, decision.cost(), mode, 0, id, at))
            .exceptionally(
                failure -> {
                  sluice.failed(policy, unavailable(failure));
                  return decision;
                });
  }

  private Decision ask(Request.Mode mode, String key, long cost, long maxWait, long time) {
    Policy asked = policy;
    long started = sluice.listens() ? System.nanoTime() : 0;
    Decision decision;
    try {
      Plan plan = plan(asked, key, cost);
      if (plan == null) {
        decision = withoutLimits(asked, key, cost);
      } else if (cost > plan.capacity() && refusesImpossible(mode)) {
        decision = impossible(asked, plan, key, cost);
      } else {
        decision = decide(asked, plan, mode, key, cost, maxWait, time);
      }
    } catch (IllegalArgumentException invalid) {
      sluice.invalid(asked, invalid);
      throw invalid;
    }
    if (started != 0) {
      sluice.decided(asked, decision, System.nanoTime() - started);
    }
    return decision;
  }

  private Decision decide(
      Policy asked, Plan plan, Request.Mode mode, String key, long cost, long maxWait, long time) {
    Request request = request(plan, mode, key, cost, maxWait, time);
    try {
      return finish(asked, request.key(), key, sluice.front().decide(request));
    } catch (StoreUnavailableException failure) {
      return onFailure(asked, request, key, failure);
    }
  }

  private CompletableFuture<Decision> askAsync(
      Request.Mode mode, String key, long cost, long maxWait, long time) {
    Policy asked = policy;
    long started = System.nanoTime();
    CompletableFuture<Decision> answer;
    try {
      Plan plan = plan(asked, key, cost);
      if (plan == null) {
        answer = CompletableFuture.completedFuture(withoutLimits(asked, key, cost));
      } else if (cost > plan.capacity() && refusesImpossible(mode)) {
        answer = CompletableFuture.completedFuture(impossible(asked, plan, key, cost));
      } else {
        Request request = request(plan, mode, key, cost, maxWait, time);
        answer =
            sluice
                .front()
                .decideAsync(request)
                .thenApply(decision -> finish(asked, request.key(), key, decision))
                .exceptionally(failure -> onFailure(asked, request, key, unavailable(failure)));
      }
    } catch (IllegalArgumentException invalid) {
      sluice.invalid(asked, invalid);
      throw invalid;
    }
    return answer.thenApply(
        decision -> {
          sluice.decided(asked, decision, System.nanoTime() - started);
          return decision;
        });
  }

  /** The failure of the store inside a future's failure; anything else is a defect and goes up. */
  static StoreUnavailableException unavailable(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof StoreUnavailableException unavailable) {
      return unavailable;
    }
    throw new CompletionException(cause);
  }

  static @Nullable Plan plan(Policy policy, String key, long cost) {
    checkKey(key);
    cost(cost, 1);
    return policy.planFor(key);
  }

  static void checkKey(String key) {
    if (key.isEmpty()) {
      throw new IllegalArgumentException("key must not be empty");
    }
  }

  static long cost(long cost, long least) {
    if (cost < least || cost > Limit.MOST_PERMITS) {
      throw new IllegalArgumentException(
          "cost must be from %d to %d, got %d".formatted(least, Limit.MOST_PERMITS, cost));
    }
    return cost;
  }

  private static long micros(String field, Duration duration) {
    if (duration.isNegative() || duration.compareTo(LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(
          "%s must be from 0 to 365 days, got %s".formatted(field, duration));
    }
    return duration.toNanos() / 1_000;
  }

  private static boolean refusesImpossible(Request.Mode mode) {
    return switch (mode) {
      case ACQUIRE, BOOK, PEEK, RESERVE -> true;
      case FORCE, GIVE_BACK, POSTPONE, RESET, RELEASE, COMMIT -> false;
    };
  }

  static Request request(
      Plan plan, Request.Mode mode, String key, long cost, long maxWait, long time) {
    boolean named = plan.concurrent() || mode == Request.Mode.RESERVE;
    String id = named ? PermitId.newNonce() : null;
    return new Request(plan, Keys.canonical(key), cost, mode, maxWait, id, time);
  }

  /** A key that a rule lets through or keeps out. */
  static Decision withoutLimits(Policy policy, String key, long cost) {
    boolean denied =
        policy.ruleFor(key).map(rule -> rule.kind() == KeyRule.Kind.DENY).orElse(false);
    if (!denied) {
      return Decision.unlimited(policy.name(), key, cost);
    }
    Decision refused = Decision.impossible(policy.name(), key, cost, java.util.List.of());
    return policy.shadow() ? refused.letThrough() : refused;
  }

  private static Decision impossible(Policy policy, Plan plan, String key, long cost) {
    Decision refused = Decision.impossible(policy.name(), key, cost, plan.limits());
    return policy.shadow() ? refused.letThrough() : refused;
  }

  /** False where the store answered for the digest of a long key, or for the overflow key. */
  @SuppressWarnings("ReferenceEquality") // the same text in another string is only copied in vain
  private static boolean isFor(Decision decision, String key) {
    return decision.key() == key;
  }

  /** The store's answer as the caller sees it. */
  static Decision finish(Policy policy, String stored, String key, Decision decided) {
    Decision decision = decided;
    String nonce = decision.lease().orElse(null);
    if (nonce != null) {
      OptionalInt rule = stored.equals(key) ? OptionalInt.empty() : policy.ruleNumber(key);
      decision = decision.withLease(new PermitId(policy.name(), stored, nonce, rule).toString());
    }
    if (!isFor(decision, key)) {
      decision = decision.forKey(key);
    }
    return policy.shadow() && !decision.allowed() ? decision.letThrough() : decision;
  }

  private Decision onFailure(
      Policy asked, Request request, String key, StoreUnavailableException failure) {
    sluice.failed(asked, failure);
    return switch (asked.onStoreFailure()) {
      case DENY -> throw failure;
      case ALLOW -> Decision.unlimited(asked.name(), key, request.cost()).degraded(true);
      case LOCAL -> {
        Plan plan = localPlan(asked, key);
        Decision local =
            request.cost() > plan.capacity() && refusesImpossible(request.mode())
                ? Decision.impossible(asked.name(), key, request.cost(), plan.limits())
                : sluice.local().decide(withPlan(request, plan));
        yield finish(asked, request.key(), key, local).degraded(true);
      }
    };
  }

  private static Request withPlan(Request request, Plan plan) {
    return new Request(
        plan,
        request.key(),
        request.cost(),
        request.mode(),
        request.maxWaitMicros(),
        request.id(),
        request.timeMicros());
  }

  private static Plan localPlan(Policy asked, String key) {
    Plan plan = asked.share().planFor(key);
    if (plan == null) {
      throw new IllegalStateException("a key with limits has limits in its share");
    }
    return plan;
  }

  @Override
  public String toString() {
    return policy.toString();
  }
}
