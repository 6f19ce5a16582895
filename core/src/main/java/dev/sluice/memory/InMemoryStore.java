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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
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

  private record TableId(String policy, String limit, Algorithm algorithm) {}

  private final MicroClock clock;
  private final long maxKeys;
  private final int seed = ThreadLocalRandom.current().nextInt();
  private final Stripe[] stripes = new Stripe[STRIPES];
  private final Map<TableId, Integer> tables = new HashMap<>();
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
    stripe.lock();
    try {
      if (hasRoom(stripe, plan, request.key(), hash, now)) {
        return new Deciding(this, stripe, plan, request, hash, now).run();
      }
    } finally {
      stripe.unlock();
    }
    return decide(plan, withKey(request, OVERFLOW));
  }

  /**
   * The way of nearly every decision: one token bucket, a key that is known. Small enough that the
   * compiler inlines all of it, answer included, into its caller. Nothing between lock and unlock
   * can throw.
   */
  private Decision tokenBucket(Prepared prepared, Plan plan, String key, long cost) {
    int hash = hash(key);
    Stripe stripe = stripeOf(hash);
    long now = clock.nowMicros();
    stripe.lock();
    Table table = stripe.tables[prepared.tables[0]];
    int slot = table.find(key, hash);
    if (slot == Table.NONE) {
      stripe.unlock();
      return decide(prepared, Request.acquire(plan, key, cost));
    }
    Limit limit = prepared.limits[0];
    TokenBucket bucket = TokenBucket.INSTANCE;
    Cell found = new Cell(table.t(slot), table.u(slot));
    Cell state = bucket.settle(found, limit, now);
    long retryAfter = bucket.earliest(state, limit, cost, now) - now;
    boolean allowed = retryAfter == 0;
    Cell after = new Cell(state.u() == 0 ? now : state.t(), allowed ? state.u() + cost : state.u());
    if (allowed || bucket.stranded(found, limit, now)) {
      table.cell(slot, after.t(), after.u());
    }
    if (stripe.isDue()) {
      forget(stripe.tick(now));
    }
    stripe.unlock();
    return Decision.ofOne(
        plan,
        key,
        cost,
        limit,
        allowed,
        bucket.remaining(after, limit, now),
        retryAfter,
        Math.max(0, bucket.resetAt(after, limit, now) - now),
        now);
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    long[] locked = new long[1];
    int[] hashes = requests.stream().mapToInt(request -> hash(request.key())).toArray();
    for (int hash : hashes) {
      locked[0] |= 1L << stripeIndex(hash);
    }
    long now = clock.nowMicros();
    List<Request> placed = new ArrayList<>(requests);
    while (true) {
      for (long left = locked[0]; left != 0; left &= left - 1) {
        stripes[Long.numberOfTrailingZeros(left)].lock();
      }
      try {
        int crowded = firstWithoutRoom(placed, hashes, now);
        if (crowded < 0) {
          return together(placed, hashes, now);
        }
        placed.set(crowded, withKey(placed.get(crowded), OVERFLOW));
        hashes[crowded] = hash(OVERFLOW);
      } finally {
        for (long left = locked[0]; left != 0; left &= left - 1) {
          stripes[Long.numberOfTrailingZeros(left)].unlock();
        }
      }
      locked[0] |= 1L << stripeIndex(hash(OVERFLOW));
    }
  }

  private int firstWithoutRoom(List<Request> requests, int[] hashes, long now) {
    for (int i = 0; i < hashes.length; i++) {
      Request request = requests.get(i);
      Stripe stripe = stripeOf(hashes[i]);
      if (!hasRoom(stripe, prepared(request.plan()), request.key(), hashes[i], now)) {
        return i;
      }
    }
    return -1;
  }

  /** Charges in order; on the first denial takes everything back and asks the others again. */
  private List<Decision> together(List<Request> requests, int[] hashes, long now) {
    List<Deciding> charged = new ArrayList<>();
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < hashes.length; i++) {
      Request request = requests.get(i);
      Deciding deciding = deciding(request, hashes[i], now);
      Decision decision = deciding.run();
      decisions.add(decision);
      if (!decision.allowed()) {
        for (int j = charged.size() - 1; j >= 0; j--) {
          charged.get(j).undo();
        }
        for (int j = 0; j < hashes.length; j++) {
          if (j != i) {
            Decision peeked = deciding(requests.get(j), hashes[j], now).peek();
            if (j < i) {
              decisions.set(j, peeked);
            } else {
              decisions.add(peeked);
            }
          }
        }
        return decisions;
      }
      charged.add(deciding);
    }
    return decisions;
  }

  private Deciding deciding(Request request, int hash, long now) {
    return new Deciding(this, stripeOf(hash), prepared(request.plan()), request, hash, now);
  }

  /** Whether the key is known, or may become known. */
  @SuppressWarnings("ReferenceEquality") // callers' keys are never empty
  private boolean hasRoom(Stripe stripe, Prepared plan, String key, int hash, long now) {
    if (key == OVERFLOW || stripe.knows(plan, key, hash)) {
      return true;
    }
    if (keys.get() + plan.limits.length > maxKeys) {
      forget(stripe.sweep(now, SWEEP_WHEN_FULL));
    }
    return keys.get() + plan.limits.length <= maxKeys && stripe.accepts(plan, hash);
  }

  private static Request withKey(Request request, String key) {
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

  private Prepared prepared(Plan plan) {
    return (Prepared) plan.bound(this, this::prepare);
  }

  private Prepared prepare(Plan plan) {
    return new Prepared(plan, limit -> tableOf(plan.policy(), limit));
  }

  private int tableOf(String policy, Limit limit) {
    TableId id = new TableId(policy, limit.name(), limit.algorithm());
    synchronized (tables) {
      Integer known = tables.get(id);
      if (known != null) {
        return known;
      }
      for (Stripe stripe : stripes) {
        stripe.lock();
        stripe.add(limit);
        stripe.unlock();
      }
      tables.put(id, tables.size());
      return tables.size() - 1;
    }
  }

  // The seed keeps callers from knowing which keys lie side by side.
  private int hash(String key) {
    int hash = (key.hashCode() ^ seed) * 0x9E3779B9;
    return hash ^ (hash >>> 15);
  }

  private static int stripeIndex(int hash) {
    return hash >>> 26;
  }

  private Stripe stripeOf(int hash) {
    return stripes[stripeIndex(hash)];
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
