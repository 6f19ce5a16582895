package dev.sluice.memory;

import dev.sluice.Decision;
import dev.sluice.Gate;
import dev.sluice.MicroClock;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * State in this process. Exact, bounded, without a thread of its own.
 *
 * <p>Keys are spread over stripes, each with a lock that is held for the arithmetic only, and most
 * token buckets need no lock ({@link QuickBucket}); a state belongs to a policy's name, a limit's
 * name and an algorithm, so replacing a limit keeps what was used. At most {@code maxKeys} are
 * held. A key is forgotten only when it is as if never seen, which is looked for as requests come
 * by. When the store is full of keys that are not, new keys share one key among them, {@link
 * #OVERFLOW}: a flood of new keys is held to one limit together, and known keys do not notice.
 */
public final class InMemoryStore implements Store {
  /** Keys that a store holds unless told otherwise. */
  public static final long DEFAULT_MAX_KEYS = 1_000_000;

  /** The key that new keys share while the store is full. No caller's key: those are not empty. */
  @SuppressWarnings("StringConstructor") // no caller can have this very string either
  static final String OVERFLOW = new String("");

  private static final int STRIPES = 64;
  static final int OWN = 0x5BD1E995;

  private final MicroClock clock;
  private final @Nullable TickingClock ticking;
  private final long maxKeys;
  private final int seed = ThreadLocalRandom.current().nextInt();
  private final Stripe[] stripes = new Stripe[STRIPES];
  private final Homes homes;
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
      stripes[i] = new Stripe(i);
    }
    this.homes = new Homes(STRIPES, clock);
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
        stripe.leave();
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
    QuickBucket quick = prepared(plan).quick;
    // The short way is for keys as callers write them, and would take a digest of a digest.
    return quick == null || twist(key) != 0
        ? decideFully(plan, key, cost)
        : quick.tryAcquire(key, cost);
  }

  @Override
  public Gate gate(Plan plan, Gate otherwise) {
    Prepared prepared = prepared(plan);
    return prepared.quick == null ? otherwise : prepared.quick.or(otherwise);
  }

  Decision decideFully(Plan plan, String key, long cost) {
    return decide(prepared(plan), Request.acquire(plan, key, cost));
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
      stripe.leave();
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
      case RELEASE, COMMIT -> decision.neverPasses() && !request.key().isEmpty();
      default -> false;
    };
  }

  /**
   * Makes a key known, so that it can be charged without the lock from now on, and does what has to
   * be done now and then.
   *
   * @return what the key is called here
   */
  String prepare(Plan plan, Prepared prepared, String key, long cost) {
    String stored = plan.stored(key);
    return prepare(prepared, Request.acquire(plan, stored, cost))
        ? stored
        : prepareOverflow(plan, prepared, cost);
  }

  private String prepareOverflow(Plan plan, Prepared prepared, long cost) {
    prepare(prepared, Request.acquire(plan, OVERFLOW, cost));
    return OVERFLOW;
  }

  private boolean prepare(Prepared plan, Request request) {
    String key = request.key();
    int hash = hash(key);
    Stripe stripe = stripeOf(hash);
    stripe.lock();
    try {
      long now = clock.nowMicros();
      forget(stripe.sweepIfDue(now));
      Shelf shelf = stripe.bring(plan.homes[0], plan.limits[0], key, hash, now);
      if (!shelf.knows(key, hash)) {
        if (!claim(key.isEmpty() ? 0 : 1, stripe, plan, hash, now)) {
          return false;
        }
        ((Buckets) shelf).add(key, hash, now);
      }
      if (!stripe.reservations.isEmpty()) {
        new Deciding(this, stripe, plan, request, hash, now).releaseIfDenied();
      }
      return true;
    } finally {
      stripe.leave();
    }
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
      forget(stripe.sweepWhenFull(now));
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
    return new Prepared(this, plan, limit -> homes.of(plan.policy(), limit));
  }

  MicroClock clock() {
    return clock;
  }

  @Nullable TickingClock ticking() {
    return ticking;
  }

  int seed() {
    return seed;
  }

  int hash(String key) {
    return hash(key, seed) ^ twist(key);
  }

  /**
   * Sets the store's own names apart from keys that a caller might write: digests, which begin with
   * a NUL, and the key that new keys share.
   */
  static int twist(String key) {
    return key.isEmpty() || key.charAt(0) == '\0' ? OWN : 0;
  }

  // The seed keeps callers from knowing which keys lie side by side.
  static int hash(String key, int seed) {
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
