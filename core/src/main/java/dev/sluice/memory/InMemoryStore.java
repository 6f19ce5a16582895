package dev.sluice.memory;

import dev.sluice.Algorithm;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.MicroClock;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.algorithm.Cell;
import dev.sluice.algorithm.TokenBucket;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * State in this process. Exact, bounded, without a thread of its own.
 *
 * <p>Keys are spread over stripes, each with a lock that is held for the arithmetic only; a state
 * belongs to a policy's name, a limit's name and an algorithm, so replacing a limit keeps what was
 * used. At most {@code maxKeys} are held. A key is forgotten only when it is as if never seen,
 * which is looked for as requests come by. When the store is full of keys that are not, new keys
 * share one key among them, {@link #OVERFLOW}: a flood of new keys is held to one limit together,
 * and known keys do not notice.
 */
public final class InMemoryStore implements Store {
  /** Keys that a store holds unless told otherwise. */
  public static final long DEFAULT_MAX_KEYS = 1_000_000;

  /** The key that new keys share while the store is full. No caller's key: those are not empty. */
  static final String OVERFLOW = "";

  private static final int STRIPES = 64;
  private static final int SWEEP_WHEN_FULL = 64;
  // In place of a retry time: the short way does not know, the long one does.
  private static final long ANOTHER_WAY = Long.MAX_VALUE;

  private record TableId(String policy, String limit, Algorithm algorithm) {}

  private final MicroClock clock;
  private final long maxKeys;
  private final int seed = ThreadLocalRandom.current().nextInt();
  private final Stripe[] stripes = new Stripe[STRIPES];
  private final ConcurrentHashMap<TableId, Integer> tables = new ConcurrentHashMap<>();
  private final AtomicInteger nextTable = new AtomicInteger();
  private final AtomicLong keys = new AtomicLong();

  /** A store on the system's clock that holds up to {@link #DEFAULT_MAX_KEYS}. */
  public InMemoryStore() {
    this(MicroClock.system(), DEFAULT_MAX_KEYS);
  }

  /**
   * A store on a given clock.
   *
   * @param maxKeys how many keys it holds at most, counted once for each limit that knows them
   */
  public InMemoryStore(MicroClock clock, long maxKeys) {
    if (maxKeys < 1) {
      throw new IllegalArgumentException("maxKeys must be at least 1, got " + maxKeys);
    }
    this.clock = clock;
    this.maxKeys = maxKeys;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  /**
   * A store that never forgets a key by itself: the reference that other stores are compared with,
   * also where a clock steps back to before a key was forgotten.
   */
  public static InMemoryStore keepingAll(MicroClock clock) {
    InMemoryStore store = new InMemoryStore(clock, Long.MAX_VALUE);
    for (Stripe stripe : store.stripes) {
      stripe.keepsAll = true;
    }
    return store;
  }

  /** How many keys are held, after forgetting those that are as if never seen. */
  public long size() {
    long now = clock.nowMicros();
    for (Stripe stripe : stripes) {
      stripe.lock();
      try {
        keys.addAndGet(-stripe.sweepAll(now));
      } finally {
        stripe.unlock();
      }
    }
    return keys.get();
  }

  @Override
  public Decision decide(Request request) {
    Prepared plan = prepared(request.plan());
    if (plan.tokenBucketOnly && request.mode() == Request.Mode.ACQUIRE) {
      return tokenBucket(plan, request.plan(), request.key(), request.cost());
    }
    return decide(plan, request);
  }

  @Override
  public Decision tryAcquire(Plan plan, String key, long cost) {
    Prepared prepared = prepared(plan);
    return prepared.tokenBucketOnly
        ? tokenBucket(prepared, plan, key, cost)
        : decide(prepared, Request.acquire(plan, key, cost));
  }

  private Decision decide(Prepared plan, Request request) {
    int hash = hash(request.key());
    Stripe stripe = stripeOf(hash);
    long now = clock.nowMicros();
    Decision decision = null;
    stripe.lock();
    try {
      boolean known = request.key().isEmpty() || stripe.knows(plan, request.key(), hash);
      boolean own = known || request.mode() != Request.Mode.GIVE_BACK;
      int places = known || !adds(request) ? 0 : plan.limits.length;
      if (own && claim(places, stripe, plan, hash, now)) {
        decision = new Deciding(this, stripe, plan, request, hash, now).run();
        forget(places);
      }
    } finally {
      stripe.unlock();
    }
    return decision == null || mayBeElsewhere(request, decision)
        ? decide(plan, withKey(request, OVERFLOW))
        : decision;
  }

  /** Whether a key never seen would have to be remembered, or the answer pretends so. */
  private static boolean adds(Request request) {
    return request.takes() || request.mode() == Request.Mode.PEEK;
  }

  /** What is not held under the key may have been taken while there was no room for the key. */
  private static boolean mayBeElsewhere(Request request, Decision decision) {
    return switch (request.mode()) {
      case RELEASE, COMMIT -> !decision.allowed() && !request.key().isEmpty();
      default -> false;
    };
  }

  /** The way of nearly every decision: no allocation but the answer, and little code to inline. */
  private Decision tokenBucket(Prepared prepared, Plan plan, String key, long cost) {
    Limit limit = prepared.limits[0];
    int hash = hash(key);
    Stripe stripe = stripeOf(hash);
    TokenBucket bucket = TokenBucket.INSTANCE;
    long now = clock.nowMicros();
    long t = now;
    long u = limit.capacity() - limit.initial();
    long retryAfter = 0;
    stripe.lock();
    try {
      Table table = stripe.table(prepared.tables[0], limit);
      table.use(limit, now);
      int slot = table.find(key, hash);
      boolean known = slot != Table.NONE;
      if (known) {
        t = table.t(slot);
        u = table.u(slot);
      }
      Cell found = new Cell(t, u);
      Cell state = bucket.settle(found, limit, now);
      retryAfter = bucket.earliest(state, limit, cost, now) - now;
      boolean allowed = retryAfter == 0;
      t = allowed && state.u() == 0 ? now : state.t();
      u = allowed ? state.u() + cost : state.u();
      if (!allowed && !stripe.reservations.isEmpty()) {
        retryAfter = ANOTHER_WAY;
      } else if (known) {
        if (allowed || bucket.stranded(found, limit, now)) {
          table.cell(slot, t, u);
        }
      } else if (!claim(key.isEmpty() ? 0 : 1, stripe, prepared, hash, now)) {
        retryAfter = ANOTHER_WAY;
      } else {
        // A bucket that starts with less than full starts with its first request, denied or not.
        table.cell(table.insert(key, hash), t, u);
      }
      if (stripe.due()) {
        forget(stripe.sweep(now));
      }
    } finally {
      stripe.unlock();
    }
    if (retryAfter == ANOTHER_WAY) {
      return decide(prepared, Request.acquire(plan, key, cost));
    }
    Cell after = new Cell(t, u);
    long remaining = bucket.remaining(after, limit, now);
    long resetAfter = Math.max(0, bucket.resetAt(after, limit, now) - now);
    return Decision.ofOne(
        plan, key, cost, limit, retryAfter == 0, remaining, retryAfter, resetAfter, now);
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    return new DecidingTogether(this, requests, clock.nowMicros()).run();
  }

  /** Takes room for new keys, for as long as it is not known how many there will be. */
  boolean claim(int places, Stripe stripe, Prepared plan, int hash, long now) {
    if (places == 0) {
      return true;
    }
    if (keys.get() + places > maxKeys) {
      forget(stripe.sweep(now, SWEEP_WHEN_FULL));
    }
    if (!stripe.accepts(plan, hash)) {
      return false;
    }
    boolean claimed = keys.addAndGet(places) <= maxKeys;
    forget(claimed ? 0 : places);
    return claimed;
  }

  static Request withKey(Request request, String key) {
    return new Request(
        request.plan(),
        key,
        request.cost(),
        request.mode(),
        request.maxWaitMicros(),
        request.id(),
        request.timeMicros());
  }

  void remember(long added) {
    if (added != 0) {
      keys.addAndGet(added);
    }
  }

  void forget(long removed) {
    if (removed != 0) {
      keys.addAndGet(-removed);
    }
  }

  Prepared prepared(Plan plan) {
    return (Prepared)
        plan.bound(
            this,
            unbound ->
                new Prepared(
                    unbound,
                    limit ->
                        tables.computeIfAbsent(
                            new TableId(unbound.policy(), limit.name(), limit.algorithm()),
                            absent -> nextTable.getAndIncrement())));
  }

  // The seed keeps callers from knowing which keys lie side by side.
  int hash(String key) {
    int hash = (key.hashCode() ^ seed) * 0x9E3779B9;
    return hash ^ (hash >>> 15);
  }

  static int stripeIndex(int hash) {
    return hash >>> 26;
  }

  private Stripe stripeOf(int hash) {
    return stripe(stripeIndex(hash));
  }

  Stripe stripe(int index) {
    return stripes[index];
  }

  @Override
  public void close() {
    // Nothing to free: the store goes with its last reference.
  }

  /** The limits and states are not listed: keys may be secret. */
  @Override
  public String toString() {
    return "memory store, %d of at most %d keys".formatted(keys.get(), maxKeys);
  }
}
