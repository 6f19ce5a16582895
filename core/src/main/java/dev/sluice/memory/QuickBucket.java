package dev.sluice.memory;

import dev.sluice.Decision;
import dev.sluice.Gate;
import dev.sluice.Limit;
import dev.sluice.MicroClock;
import dev.sluice.Plan;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The way of nearly every decision: one token bucket that is a single number ({@link Meter}),
 * charged by compare-and-set, with no lock. It decides what {@link
 * dev.sluice.algorithm.TokenBucket} would (QuickBucketProperties). A cost out of range it leaves to
 * others; what needs the lock, such as a new key or an expired reservation, the store does for it
 * ({@link InMemoryStore#prepare}), and then it starts again.
 *
 * <p>It is written for the compiler, so that a decision is inlined into its caller and the answer
 * need not be allocated: all that it needs is in its own fields, there is a single place where the
 * answer is made, and whatever is not the charge of a key that is asked for with the very string
 * that is kept lies behind a method handle, {@link #slowly}. The compiler looks into every other
 * call that was frequent once, as this one is while keys are new; the whole would then be 28 KB of
 * code, which is inlined nowhere. A key that is asked for over and over is not even looked for
 * ({@link Hint}). bench/notes.md shows what that brings.
 */
final class QuickBucket implements Gate {
  // A bucket that fills in less would notice the slack; it asks for the exact time.
  private static final long LEAST_SLACKS = 50;

  // Instead of what is missing to a full bucket, which is never negative.
  private static final long UNREADY = -1;
  private static final long OVERTAKEN = -2;

  private static final MethodHandle SLOWLY;

  static {
    try {
      SLOWLY =
          MethodHandles.lookup()
              .findVirtual(
                  QuickBucket.class,
                  "chargeSlowly",
                  MethodType.methodType(Charged.class, String.class, long.class, long.class));
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  /**
   * @param now when it was decided
   * @param debt what was missing to a full bucket
   */
  private record Charged(long now, long debt, boolean allowed) {}

  /**
   * Where a key was found that is asked for over and over. If its bucket has gone elsewhere since,
   * nobody is there any more, as for others who look at slots that are no longer in use.
   */
  private record Hint(String key, Slots near, int slot) {}

  // Not the constant itself: that the compiler would look into.
  private final MethodHandle slowly = SLOWLY;
  private final Slots[] slots;
  private final MicroClock clock;
  private final int seed;
  private final long base;
  private final long permits;
  private final long micros;
  private final long capacity;
  private final long full;
  private final long slack;
  private final Plan plan;
  private final InMemoryStore store;
  private final Prepared prepared;
  private final Meter meter;
  private final Gate otherwise;
  // Read and written in no order: who sees an older one finds the key all the same.
  private Hint hint = new Hint(InMemoryStore.OVERFLOW, new Slots(1, 0), 0);

  QuickBucket(InMemoryStore store, Plan plan, Prepared prepared, Meter meter, Gate otherwise) {
    Limit limit = prepared.limits[0];
    this.store = store;
    this.plan = plan;
    this.prepared = prepared;
    this.meter = meter;
    this.otherwise = otherwise;
    this.slots = prepared.homes[0].slots;
    this.seed = store.seed();
    this.base = meter.base();
    this.permits = meter.n();
    this.micros = meter.p();
    this.capacity = limit.capacity();
    this.full = capacity * micros;
    TickingClock ticking = store.ticking();
    boolean ticks =
        ticking != null && TickingClock.SLACK_MICROS * LEAST_SLACKS <= limit.windowMicros();
    this.clock = ticking != null && ticks ? ticking.ticks() : store.clock();
    this.slack = ticks ? TickingClock.SLACK_MICROS * permits : 0;
  }

  /** The same bucket for somebody who decides the unusual in another way. */
  QuickBucket or(Gate other) {
    return new QuickBucket(store, plan, prepared, meter, other);
  }

  @Override
  public Decision tryAcquire(String key, long cost) {
    // Every bucket holds one.
    if (cost != 1 && (cost < 1 || cost > capacity)) {
      return otherwise.tryAcquire(key, cost);
    }
    Hint known = hint;
    long now;
    Slots near;
    int slot;
    if (isSame(key, known.key)) {
      now = clock.nowMicros();
      near = known.near;
      slot = known.slot;
    } else {
      // Before the clock, which lets no later read start: so the processor can fetch a cold key
      // while it is still busy with the decision before. The rest it reads while it waits for the
      // clock.
      int hash = InMemoryStore.hash(key, seed);
      now = clock.nowMicros();
      near = slots[InMemoryStore.stripeIndex(hash)];
      slot = near.findSame(key, hash);
    }
    long[] cells = near.cells;
    long fullAt = slot == Slots.NONE ? Slots.NOBODY : Slots.fullAt(cells, slot);
    long units = (now - base) * permits;
    long debt = Math.max(0, fullAt - units);
    boolean ready = isReady(fullAt, near.untilDue(now));
    boolean allowed = false;
    // Not by the debt: what follows would wait for it.
    if (ready && units >= fullAt + cost * micros - full) {
      allowed = true;
      ready = Slots.charge(cells, slot, fullAt, units + after(debt, cost));
    }
    if (!ready) {
      Charged charged = slowly(key, cost, now);
      now = charged.now;
      debt = charged.debt;
      allowed = charged.allowed;
    }
    return Decision.ofBucket(plan, key, cost, allowed, debt, after(debt, cost), now);
  }

  /** Not if somebody works on the bucket, or something else has to be done first. */
  private static boolean isReady(long fullAt, long untilDue) {
    return ((fullAt - 1) | untilDue) >= 0;
  }

  /** What is missing to a full bucket once it is charged. */
  private long after(long debt, long cost) {
    return (debt > 0 ? debt : slack) + cost * micros;
  }

  private Charged slowly(String key, long cost, long now) {
    try {
      return (Charged) slowly.invokeExact(this, key, cost, now);
    } catch (RuntimeException | Error failure) {
      throw failure;
    } catch (Throwable impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Charges a key that is written by another string, or new, or wanted by others too. */
  @SuppressWarnings("UnusedMethod") // by SLOWLY
  private Charged chargeSlowly(String key, long cost, long first) {
    String stored = key;
    int twist = 0;
    long patience = 0;
    long now = first;
    long debt = charge(key, 0, cost, now, 0);
    while (debt < 0) {
      if (debt != OVERTAKEN) {
        remember(key);
        stored = store.prepare(plan, prepared, key, cost);
        twist = isOwn(stored, key) ? InMemoryStore.OWN : 0;
        patience = Long.MAX_VALUE >> 1;
        now = clock.nowMicros();
      }
      debt = charge(stored, twist, cost, now, patience);
    }
    return new Charged(now, debt, debt + cost * micros <= full);
  }

  /** Takes note of where a key is that is asked for over and over with the string that is kept. */
  private void remember(String key) {
    int hash = InMemoryStore.hash(key, seed);
    Slots near = slots[InMemoryStore.stripeIndex(hash)];
    int slot = near.findSame(key, hash);
    if (slot != Slots.NONE
        && near.comesByAgainAndAgain(key)
        && (!isSame(key, hint.key) || hint.near != near)) {
      hint = new Hint(key, near, slot);
    }
  }

  /** The key that is found without a search; for tests. */
  String hot() {
    return hint.key;
  }

  /**
   * Charges a bucket, or finds that it has too little.
   *
   * @return what was missing to a full bucket, or why that is not known
   */
  private long charge(String stored, int twist, long cost, long now, long patience) {
    int hash = InMemoryStore.hash(stored, seed) ^ twist;
    Slots near = slots[InMemoryStore.stripeIndex(hash)];
    int slot = near.find(stored, hash);
    if (slot == Slots.NONE) {
      return UNREADY;
    }
    long fullAt = near.fullAt(slot);
    if (!isReady(fullAt, near.untilDue(now) + patience)) {
      return UNREADY;
    }
    long units = (now - base) * permits;
    long debt = Math.max(0, fullAt - units);
    boolean denied = debt + cost * micros > full;
    return denied || near.charge(slot, fullAt, units + after(debt, cost)) ? debt : OVERTAKEN;
  }

  /** Whether the key is kept under a name of the store's own, and not just in another string. */
  @SuppressWarnings("ReferenceEquality") // a caller's key comes back as it is
  private static boolean isOwn(String stored, String key) {
    return stored != key;
  }

  @SuppressWarnings("ReferenceEquality") // equal ones are looked for
  private static boolean isSame(String key, String other) {
    return key == other;
  }
}
