package dev.sluice.memory;

import dev.sluice.Decision;
import dev.sluice.Gate;
import dev.sluice.Limit;
import dev.sluice.MicroClock;
import dev.sluice.Plan;

/**
 * The way of nearly every decision: one token bucket that is a single number ({@link Meter}),
 * charged by compare-and-set, with no lock. It decides what {@link
 * dev.sluice.algorithm.TokenBucket} would (QuickBucketProperties). A cost out of range it leaves to
 * others; what needs the lock, such as a new key or an expired reservation, the store does for it
 * ({@link InMemoryStore#prepare}), and then it starts again.
 *
 * <p>It is written for the compiler, so that a decision is inlined into its caller and the answer
 * need not be allocated: all that it needs is in its own fields, what is rare is in methods of
 * their own, and there is a single place where the answer is made. bench/README shows what it
 * brings.
 */
final class QuickBucket implements Gate {
  // A bucket that fills in less would notice the slack; it asks for the exact time.
  private static final long LEAST_SLACKS = 50;

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
    this.clock = ticking != null && ticks ? ticking::ticks : store.clock();
    this.slack = ticks ? TickingClock.SLACK_MICROS * permits : 0;
  }

  /** The same bucket for somebody who decides the unusual in another way. */
  QuickBucket or(Gate other) {
    return new QuickBucket(store, plan, prepared, meter, other);
  }

  @Override
  public Decision tryAcquire(String key, long cost) {
    if (((cost - 1) | (capacity - cost)) < 0) {
      return otherwise.tryAcquire(key, cost);
    }
    String stored = key;
    int twist = 0;
    long patience = 0;
    // First of all, so that the processor reads the rest while it waits for the clock.
    long now = clock.nowMicros();
    while (true) {
      int hash = InMemoryStore.hash(stored, seed) ^ twist;
      Slots near = slots[InMemoryStore.stripeIndex(hash)];
      int slot = near.find(stored, hash);
      if (slot != Slots.NONE) {
        long fullAt = near.fullAt(slot);
        long units = (now - base) * permits;
        long charge = cost * micros;
        long debt = Math.max(0, fullAt - units);
        long over = debt + charge - full;
        long after = (debt > 0 ? fullAt : units + slack) + charge;
        // Negative if somebody works on the bucket, or something else has to be done first.
        if (((fullAt - 1) | (near.untilDue(now) + patience)) >= 0) {
          if (over > 0 || near.charge(slot, fullAt, after)) {
            return Decision.ofBucket(plan, key, cost, now, debt, over, after - units);
          }
          continue;
        }
      }
      stored = store.prepare(plan, prepared, key, cost);
      twist = isOwn(stored, key) ? InMemoryStore.OWN : 0;
      patience = Long.MAX_VALUE >> 1;
      now = clock.nowMicros();
    }
  }

  /** Whether the key is kept under a name of the store's own, and not just in another string. */
  @SuppressWarnings("ReferenceEquality") // a caller's key comes back as it is
  private static boolean isOwn(String stored, String key) {
    return stored != key;
  }
}
