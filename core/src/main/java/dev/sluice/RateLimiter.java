package dev.sluice;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
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
 * <p>A key is any text that is not empty, a cost a whole number from 1 to 2^40. A cost that can
 * never pass is denied at once ({@link Decision#neverPasses}). What a failed store means is the
 * policy's to say: the answer is marked {@link Decision#degraded}, or {@link
 * StoreUnavailableException} is thrown. Every method has an asynchronous form; both ask the same
 * store.
 */
public final class RateLimiter {
  private static final Duration LONGEST_WAIT = Duration.ofDays(365);

  private final Sluice sluice;
  private final Asking asking;
  private final Waiting waiting;
  private volatile Policy policy;
  // In a field of its own, so that a decision is a single look away.
  private volatile Gate gate = this::takeNow;

  RateLimiter(Sluice sluice, Policy policy) {
    this.sluice = sluice;
    this.asking = new Asking(sluice);
    this.waiting = new Waiting(this, asking);
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
        return Asking.isFor(decision, key) ? decision : decision.forKey(key);
      } catch (StoreUnavailableException failure) {
        return asking.onFailure(asked, Request.acquire(plan, key, cost), key, failure);
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
   * denied, if that would take longer than {@code maxWait}. Permits that are held are waited for,
   * by asking again and again: who comes first when one is released, comes first.
   *
   * @param maxWait from 0 to 365 days
   * @throws InterruptedException if interrupted while waiting; the place is given back
   */
  public Decision acquire(String key, long cost, Duration maxWait) throws InterruptedException {
    long longest = micros("maxWait", maxWait);
    return isConcurrent(key)
        ? waiting.hold(key, cost, longest)
        : waiting.awaitTurn(ask(Request.Mode.BOOK, key, cost, longest, 0));
  }

  /**
   * As {@link #acquire(String, long, Duration)}: completes when it is its turn, or denied at once.
   * Cancelling the future gives the place back.
   */
  public CompletableFuture<Decision> acquireAsync(String key, long cost, Duration maxWait) {
    long longest = micros("maxWait", maxWait);
    return isConcurrent(key)
        ? waiting.holdAsync(key, cost, longest)
        : waiting.turn(askAsync(Request.Mode.BOOK, key, cost, longest, 0));
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
    String id = decision.lease().orElse(decision.allowed() ? Reservation.NOTHING : "");
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
    return Sluice.await(sluice.settleAsync(reservationId, actual, policy)) == Settled.AS_ASKED;
  }

  /** Gives a reservation back: the same as {@link #commit committing} it at no cost. */
  public boolean cancel(String reservationId) {
    return commit(reservationId, 0);
  }

  /**
   * Gives back a booking or a charge of which the answer was {@code decision}; not one that was
   * {@link Decision#forced}, of which nobody knows how much it took.
   */
  public void giveBack(Decision decision) {
    decision
        .lease()
        .map(lease -> PermitId.parse("lease", lease).nonce())
        .ifPresent(id -> change(decision, Request.Mode.RELEASE, id));
    if (!decision.forced()) {
      change(decision, Request.Mode.GIVE_BACK, null);
    }
  }

  /**
   * Counts from now what was taken with {@code decision}, for a request that passed later than it
   * was told to. Matters to sliding logs only. Asked for twice, it counts twice.
   */
  public void postpone(Decision decision) {
    if (!decision.forced()) {
      change(decision, Request.Mode.POSTPONE, null);
    }
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
                  sluice.failed(policy, Asking.unavailable(failure));
                  return decision;
                });
  }

  private Decision ask(Request.Mode mode, String key, long cost, long maxWait, long time) {
    return asking.ask(policy, mode, key, cost, maxWait, time);
  }

  private CompletableFuture<Decision> askAsync(
      Request.Mode mode, String key, long cost, long maxWait, long time) {
    return asking.askAsync(policy, mode, key, cost, maxWait, time);
  }

  private boolean isConcurrent(String key) {
    Asking.checkKey(key);
    Plan plan = policy.planFor(key);
    return plan != null && plan.concurrent();
  }

  private static long micros(String field, Duration duration) {
    if (duration.isNegative() || duration.compareTo(LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(
          "%s must be from 0 to 365 days, got %s".formatted(field, duration));
    }
    return duration.toNanos() / 1_000;
  }

  @Override
  public String toString() {
    return policy.toString();
  }
}
