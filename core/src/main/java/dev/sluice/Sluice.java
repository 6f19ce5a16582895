package dev.sluice;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The entry: a store, and the limiters that share it. Safe for use by many threads.
 *
 * <pre>{@code
 * Sluice sluice = Sluice.inMemory();
 * RateLimiter api = sluice.limiter("api", Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20));
 * }</pre>
 */
public final class Sluice implements AutoCloseable {
  private final Store store;
  private final Store front;
  private final Object changing = new Object();
  private final List<DecisionListener> listeners = new CopyOnWriteArrayList<>();
  private final Settling settling = new Settling(this);
  // Of policies that are gone, while somebody has them: they follow a policy that is put back.
  private final Map<String, WeakReference<RateLimiter>> gone = new HashMap<>();
  // Asked before every decision, so it is one look and not three.
  private volatile boolean listens;
  private volatile Map<String, RateLimiter> limiters = Map.of();
  private volatile Map<String, Policy> rules = Map.of();
  private volatile @Nullable Store local;

  private Sluice(Store store) {
    this.store = store;
    this.front = store.tiers(store);
  }

  /** State in this process: nothing to install, nothing shared. */
  public static Sluice inMemory() {
    return open("memory");
  }

  /**
   * State in Redis or Valkey, shared by all who use the same address. Needs {@code sluice-redis} on
   * the path.
   *
   * @param uri {@code redis://}, {@code rediss://}, {@code redis-sentinel://} or {@code
   *     redis-cluster://}
   */
  public static Sluice redis(String uri) {
    return open(uri);
  }

  /** State in a store of your own making. The store is closed with this. */
  public static Sluice of(Store store) {
    return new Sluice(store);
  }

  /**
   * State at an address: {@code memory}, or what the stores on the path understand.
   *
   * @throws IllegalArgumentException if no store on the path understands the address
   */
  public static Sluice open(String address) {
    return new Sluice(Stores.open(address));
  }

  /**
   * Checks an address without opening anything; {@link #open} may still find that nothing is there.
   *
   * @throws IllegalArgumentException if no store on the path understands the address
   */
  public static void checkAddress(String address) {
    Stores.check(address);
  }

  /** A limiter with these limits, decided together. Replaces the policy of that name, if any. */
  public RateLimiter limiter(String name, Limit... limits) {
    return limiter(Policy.of(name, limits));
  }

  /** A limiter for a policy. Replaces the policy of that name, if any; what was used stays used. */
  public RateLimiter limiter(Policy policy) {
    synchronized (changing) {
      Map<String, Policy> changed = new LinkedHashMap<>(rules);
      changed.put(policy.name(), policy);
      policies(changed.values());
      return limiter(policy.name()).orElseThrow();
    }
  }

  /**
   * A limiter for a policy that is not put in force: it is found by nobody and replaces nothing.
   * For limits that come with each request, or from rules that are kept elsewhere. What was used is
   * shared by all policies of one name. What it reserves it settles itself, and what it holds
   * {@link RateLimiter#giveBack} gives back: {@link #release} and {@link #commit} know the policies
   * in force only.
   */
  public RateLimiter unlisted(Policy policy) {
    return new RateLimiter(this, policy);
  }

  /** The limiter of a policy, if there is one of that name. */
  public Optional<RateLimiter> limiter(String policy) {
    return Optional.ofNullable(limiters.get(policy));
  }

  /** The policies in force. */
  public Collection<Policy> policies() {
    return rules.values();
  }

  /**
   * Puts exactly these policies in force, all at once. Limiters in use follow. Those of a policy
   * that is gone decide as it last said, until one of its name is put back.
   */
  public void policies(Collection<Policy> policies) {
    synchronized (changing) {
      Map<String, Policy> changed = new LinkedHashMap<>();
      Map<String, RateLimiter> made = new LinkedHashMap<>();
      for (Policy policy : policies) {
        if (changed.put(policy.name(), policy) != null) {
          throw new IllegalArgumentException(
              "policy names must differ, got '%s' twice".formatted(policy.name()));
        }
        RateLimiter existing = existing(policy.name());
        made.put(policy.name(), existing == null ? new RateLimiter(this, policy) : existing);
      }
      for (Policy policy : changed.values()) {
        Objects.requireNonNull(made.get(policy.name())).replace(policy);
      }
      gone.values().removeIf(limiter -> limiter.get() == null);
      gone.keySet().removeAll(made.keySet());
      Map<String, RateLimiter> going = new HashMap<>(limiters);
      going.keySet().removeAll(made.keySet());
      going.forEach((name, limiter) -> gone.put(name, new WeakReference<>(limiter)));
      rules = java.util.Collections.unmodifiableMap(changed);
      limiters = java.util.Collections.unmodifiableMap(made);
    }
  }

  private @Nullable RateLimiter existing(String name) {
    RateLimiter inForce = limiters.get(name);
    WeakReference<RateLimiter> left = gone.get(name);
    return inForce == null && left != null ? left.get() : inForce;
  }

  /** Adds a listener that hears of every decision. */
  public Sluice listener(DecisionListener listener) {
    synchronized (changing) {
      listeners.add(listener);
      listens = true;
      limiters.values().forEach(RateLimiter::chooseGate);
    }
    return this;
  }

  /**
   * Decides several checks at one instant, all or nothing: if one is denied, none is charged. The
   * answers are in order; each says what its own limits said, so all are allowed if and only if the
   * checks were.
   *
   * @throws IllegalArgumentException if a policy is unknown, or a check makes no sense
   */
  public List<Decision> tryAcquireTogether(List<Check> checks) {
    return await(tryAcquireTogetherAsync(checks));
  }

  /** As {@link #tryAcquireTogether}, without blocking. */
  public CompletableFuture<List<Decision>> tryAcquireTogetherAsync(List<Check> checks) {
    Map<String, Policy> inForce = rules;
    List<PolicyCheck> found = new ArrayList<>(checks.size());
    for (Check check : checks) {
      Policy policy = inForce.get(check.policy());
      if (policy == null) {
        throw new IllegalArgumentException("unknown policy '%s'".formatted(check.policy()));
      }
      found.add(new PolicyCheck(policy, check.key(), check.cost()));
    }
    return decideTogetherAsync(found);
  }

  /**
   * As {@link #tryAcquireTogetherAsync}, with policies that need not be in force (see {@link
   * #unlisted}).
   *
   * @throws IllegalArgumentException if a check makes no sense
   */
  public CompletableFuture<List<Decision>> decideTogetherAsync(List<PolicyCheck> checks) {
    return new Together(this, checks).decide();
  }

  /**
   * Releases a concurrency permit; safe to repeat.
   *
   * @param lease as {@link Decision#lease} gave it
   * @return whether it was still held
   */
  public boolean release(String lease) {
    return await(releaseAsync(lease));
  }

  /** As {@link #release}, without blocking. */
  public CompletableFuture<Boolean> releaseAsync(String lease) {
    PermitId id = PermitId.parse("lease", lease);
    return settling
        .settle(rules.get(id.policy()), Request.Mode.RELEASE, id, 1)
        .thenApply(settled -> settled == Settled.AS_ASKED);
  }

  /**
   * Settles a reservation with what it really cost: gives the difference back, or takes it as
   * {@link RateLimiter#force} does. Repeating it changes nothing, and neither does settling it
   * otherwise.
   *
   * @param reservation as {@link Reservation#id} gave it
   * @param actual what the request cost, 0 for nothing
   * @return whether it is settled with that cost: false if it was settled with another before, or
   *     if no such reservation is known; {@link #settleAsync} tells which
   */
  public boolean commit(String reservation, long actual) {
    return await(commitAsync(reservation, actual));
  }

  /** As {@link #commit}, without blocking. */
  public CompletableFuture<Boolean> commitAsync(String reservation, long actual) {
    return settleAsync(reservation, actual).thenApply(settled -> settled == Settled.AS_ASKED);
  }

  /** As {@link #commitAsync}, and tells what stands in the way. */
  public CompletableFuture<Settled> settleAsync(String reservation, long actual) {
    return settleAsync(reservation, actual, null);
  }

  /**
   * As {@link #settleAsync(String, long)}.
   *
   * @param unlisted whose reservations need no policy in force; null for nobody's
   */
  CompletableFuture<Settled> settleAsync(
      String reservation, long actual, @Nullable Policy unlisted) {
    long cost = Asking.cost(actual, 0);
    if (reservation.isEmpty() || reservation.equals(Reservation.NOTHING)) {
      return CompletableFuture.completedFuture(
          reservation.isEmpty() ? Settled.UNKNOWN : Settled.AS_ASKED);
    }
    PermitId id = PermitId.parse("reservation", reservation);
    Policy policy =
        unlisted != null && unlisted.name().equals(id.policy()) ? unlisted : rules.get(id.policy());
    return settling.settle(policy, Request.Mode.COMMIT, id, cost);
  }

  /** Waits for an answer; a failure of the store is thrown as itself. */
  static <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.join();
    } catch (CompletionException failed) {
      throw Asking.unavailable(failed);
    }
  }

  /** Where decisions are made. */
  public Store store() {
    return store;
  }

  /** What limiters ask: the store, or the tiers before it. */
  Store front() {
    return front;
  }

  /**
   * Permits of a leased policy that this process took ahead of need and has not used yet; never
   * more than {@link Leasing#most} for each key, over all processes.
   */
  public long leased(String policy) {
    return front.leased(policy);
  }

  /** The memory store that decides a node's share while the store is out of reach. */
  Store local() {
    Store made = local;
    if (made == null) {
      synchronized (changing) {
        made = local == null ? Stores.open("memory") : local;
        local = made;
      }
    }
    return made;
  }

  /** The same, if there ever was need of it. */
  @Nullable Store localIfAny() {
    return local;
  }

  boolean listens() {
    return listens;
  }

  void decided(Policy policy, Decision decision, long nanos) {
    for (DecisionListener listener : listeners) {
      listener.decided(policy, decision, nanos);
    }
  }

  void failed(Policy policy, StoreUnavailableException failure) {
    for (DecisionListener listener : listeners) {
      listener.storeFailed(policy, failure);
    }
  }

  void invalid(Policy policy, IllegalArgumentException problem) {
    for (DecisionListener listener : listeners) {
      listener.invalid(policy, problem);
    }
  }

  /** Gives back what was taken ahead of need, and closes the store. */
  @Override
  public void close() {
    front.close();
  }

  @Override
  public String toString() {
    return "Sluice on " + store + " with " + new ArrayList<>(rules.values());
  }
}
