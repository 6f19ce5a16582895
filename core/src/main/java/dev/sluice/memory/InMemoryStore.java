package dev.sluice.memory;

import dev.sluice.Algorithm;
import dev.sluice.Decision;
import dev.sluice.MicroClock;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
  private final @Nullable TickingClock ticking;
  private final long maxKeys;
  private final int seed = ThreadLocalRandom.current().nextInt();
  private final Stripe[] stripes = new Stripe[STRIPES];
  private final ConcurrentHashMap<TableId, Integer> tables = new ConcurrentHashMap<>();
  private final AtomicInteger nextTable = new AtomicInteger();
  private final AtomicLong keys = new AtomicLong();
  // In a field, so that no decision makes it anew.
  private final Function<Plan, Prepared> prepare = this::prepare;

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
    this.ticking = clock instanceof TickingClock ticks ? ticks : null;
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

  /**
   * A store with a thread that looks at the time about once in a millisecond, so that a decision
   * need not: most token buckets are decided by the time that the thread saw last, several times
   * faster. That never loosens a limit. It tightens those whose buckets fill in a second or more by
   * up to 20 milliseconds after they were full; and when the thread is held up for longer than
   * that, the time beyond is credited to nobody, so calendar windows end so much later. Close it to
   * end the thread.
   */
  public static InMemoryStore ticking(long maxKeys) {
    return new InMemoryStore(TickingClock.start(), maxKeys);
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
    return request.mode() == Request.Mode.ACQUIRE && request.id() == null
        ? tryAcquire(request.plan(), request.key(), request.cost())
        : decide(prepared(request.plan()), request);
  }

  @Override
  public Decision tryAcquire(Plan plan, String key, long cost) {
    // First of all, so that the processor reads the rest while it waits for the clock.
    long now = ticking == null ? clock.nowMicros() : 0;
    Prepared prepared = prepared(plan);
    return prepared instanceof QuickBucket quick
        ? quick.decide(this, plan, key, cost, ticking == null ? now : now(quick), 0)
        : decide(prepared, Request.acquire(plan, key, cost));
  }

  Decision decide(Prepared plan, Request request) {
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
    return switch (request.mode()) {
      case PEEK, POSTPONE -> true;
      default -> request.takes();
    };
  }

  /** What is not held under the key may have been taken while there was no room for the key. */
  private static boolean mayBeElsewhere(Request request, Decision decision) {
    return switch (request.mode()) {
      case RELEASE, COMMIT -> !decision.allowed() && !request.key().isEmpty();
      default -> false;
    };
  }

  /**
   * Makes a key known, as if it had never been used, and does what has to be done now and then;
   * false if there is no room for the key.
   */
  boolean introduce(Prepared plan, String key, long now) {
    int hash = hash(key);
    Stripe stripe = stripeOf(hash);
    stripe.lock();
    try {
      Table table = stripe.table(plan.tables[0], plan.limits[0]);
      boolean known = table.find(key, hash) != Table.NONE;
      if (!known && claim(1, stripe, plan, hash, now)) {
        table.cell(table.insert(key, hash), now, 0);
        known = true;
      }
      if (known) {
        table.use(plan.limits[0], now);
      }
      if (stripe.untilSweep(now) < 0) {
        forget(stripe.sweep(now));
      }
      return known;
    } finally {
      stripe.unlock();
    }
  }

  /** Ends a charge that was made under the lock with what has to be done now and then. */
  void tend(Stripe stripe, Prepared plan, long now) {
    try {
      stripe.table(plan.tables[0], plan.limits[0]).use(plan.limits[0], now);
      forget(stripe.sweep(now));
    } finally {
      stripe.unlock();
    }
  }

  /** The present as a bucket sees it: up to its slack behind. */
  long now(QuickBucket bucket) {
    return ticking == null || bucket.slack == 0 ? clock.nowMicros() : ticking.ticks();
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
    return (Prepared) plan.bound(this, prepare);
  }

  private Prepared prepare(Plan plan) {
    return Prepared.of(
        plan,
        ticking == null ? 0 : TickingClock.SLACK_MICROS,
        limit ->
            tables.computeIfAbsent(
                new TableId(plan.policy(), limit.name(), limit.algorithm()),
                absent -> nextTable.getAndIncrement()));
  }

  // The seed keeps callers from knowing which keys lie side by side.
  int hash(String key) {
    int hash = (key.hashCode() ^ seed) * 0x9E3779B9;
    return hash ^ (hash >>> 15);
  }

  static int stripeIndex(int hash) {
    return hash >>> 26;
  }

  Stripe stripeOf(int hash) {
    return stripe(stripeIndex(hash));
  }

  Stripe stripe(int index) {
    return stripes[index];
  }

  @Override
  public void close() {
    if (ticking != null) {
      ticking.close();
    }
  }

  /** The limits and states are not listed: keys may be secret. */
  @Override
  public String toString() {
    return "memory store, %d of at most %d keys".formatted(keys.get(), maxKeys);
  }
}
