package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Leasing;
import dev.sluice.LimitDecision;
import dev.sluice.Plan;
import dev.sluice.Request;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The slices of one key: one in use, and one that was taken before the first runs dry. Permits are
 * spent without a lock; slices change hands under this object's own.
 */
final class LeasedKey {
  /** The smallest slice: of one permit, taking and releasing would cost more than it saves. */
  static final long SMALLEST = 2;

  private static final long LEASE_NANOS = Leasing.LEASE.toNanos();
  // The store's clock and ours may run a little apart.
  private static final long USABLE_NANOS = LEASE_NANOS * 9 / 10;
  // A slice that lasts shorter is too small.
  private static final long LONG_ENOUGH = LEASE_NANOS / 4;
  // A handful of permits may go by chance; what is not used is missing elsewhere until it rests.
  private static final long FASTEST_GROWTH = 16;
  // Others return what they do not use all the time, so it is worth asking again soon.
  private static final long LONGEST_PAUSE = LEASE_NANOS / 20;

  private final LeasedPlan leased;
  private final Lender lender;
  private final String key;
  private final AtomicBoolean taking = new AtomicBoolean();
  private final AtomicInteger returning = new AtomicInteger();
  private volatile @Nullable Slice current;
  private volatile @Nullable Slice next;
  private volatile long notBefore;
  private volatile boolean heldUp;
  // The following are guarded by this.
  private final Waiters waiters = new Waiters();
  private long size;
  private boolean overtaking;
  private boolean used = true;
  private boolean over;

  LeasedKey(LeasedPlan leased, Lender lender, String key, long size, long now) {
    this.leased = leased;
    this.lender = lender;
    this.key = key;
    this.size = size;
    this.notBefore = now;
  }

  /** Decides from what is in hand; null if there is not enough. */
  @Nullable Decision spend(Plan plan, String asked, long cost, long now) {
    Slice slice = current;
    Decision granted = slice == null ? null : slice.spend(plan, asked, cost, now);
    if (granted == null && slice != null && next != null) {
      slice = advance(slice, now);
      granted = slice == null ? null : slice.spend(plan, asked, cost, now);
    }
    if (granted != null && slice != null && slice.isLow() && next == null && now - notBefore >= 0) {
      takeAhead(now);
    }
    return granted;
  }

  private synchronized @Nullable Slice advance(Slice spent, long now) {
    if (isCurrent(spent) && next != null) {
      retire(spent, now);
      current = next;
      next = null;
    }
    return current;
  }

  @SuppressWarnings("ReferenceEquality") // this very slice, not one like it
  private boolean isCurrent(Slice slice) {
    return slice == current;
  }

  private void takeAhead(long now) {
    Request take = begin(0, now);
    if (take != null) {
      long sent = lender.nanos.getAsLong();
      lender.send(
          take,
          (answer, failure) -> {
            long received = lender.nanos.getAsLong();
            if (failure != null) {
              failed(failure, received);
            } else if (answer.allowed()) {
              add(slice(take, answer, sent, received), received);
            } else {
              // Nobody asked for this one, so it need not be tried again at once.
              refused(answer, received, pauseNanos());
            }
          });
    }
  }

  /**
   * Begins to take a slice; ends with {@link #add}, {@link #refused} or {@link #failed}.
   *
   * @param claimed what of it is the taker's own; 0 if it is to follow the one in use
   * @return null if somebody else does, if it is too early, or if a slice is too small for that
   */
  @Nullable Request begin(long claimed, long now) {
    if (now - notBefore < 0 || !taking.compareAndSet(false, true)) {
      return null;
    }
    synchronized (this) {
      boolean wanted = claimed > 0 || next == null;
      if (wanted && !over && size >= Math.max(SMALLEST, claimed)) {
        Slice spent = current;
        if (spent != null && spent.isEmpty()) {
          // First of all, so that its share of the bound is free when the next is taken.
          retire(spent, now);
          current = null;
        }
        overtaking = returning.get() > 0;
        waiters.expect(size - claimed);
        return lender.take(leased.leasing, key, size);
      }
    }
    taking.set(false);
    return null;
  }

  static Slice slice(Request take, Decision answer, long sent, long received) {
    return new Slice(take, answer, sent + USABLE_NANOS, received);
  }

  /** Waits for a slice that somebody else takes; null if none is on its way, or it is too small. */
  synchronized @Nullable CompletableFuture<@Nullable Decision> join(Plan plan, Question question) {
    return waiters.join(plan, question);
  }

  /** Ends a take that the store granted. */
  void add(Slice slice, long now) {
    Waiters.tell(added(slice, now), null);
  }

  private synchronized List<Waiters.Waiter> added(Slice slice, long now) {
    Slice first = current;
    Slice second = next;
    waiters.serve(slice, now);
    used = true;
    heldUp = false;
    if (over) {
      retire(slice, now);
    } else if (first == null || first.isEmpty()) {
      if (first != null) {
        retire(first, now);
      }
      current = slice;
    } else {
      if (second != null) {
        retire(second, now);
      }
      next = slice;
    }
    taking.set(false);
    return waiters.leave();
  }

  /**
   * Ends a take that the limits, or slices, left no room for.
   *
   * @param pause how long at least nobody takes again if the limits are all but out
   */
  void refused(Decision answer, long now, long pause) {
    Waiters.tell(turnedDown(answer, now, pause), null);
  }

  private synchronized List<Waiters.Waiter> turnedDown(Decision answer, long now, long pause) {
    List<LimitDecision> limits = answer.limits();
    long room = limits.stream().mapToLong(LimitDecision::remaining).min().orElseThrow();
    boolean bySlices = limits.get(limits.size() - 1).remaining() == room;
    heldUp = room < SMALLEST && bySlices && !overtaking;
    if (bySlices && overtaking) {
      // It came before a slice of our own that was on its way back: the next one finds room.
      notBefore = now;
    } else if (room >= SMALLEST) {
      // The next one takes what there is.
      size = Math.min(size, room);
      notBefore = now + pause;
    } else {
      long retry = Math.min(answer.retryAfterMicros() * 1_000, LONGEST_PAUSE);
      notBefore = now + Math.max(retry, pauseNanos());
    }
    taking.set(false);
    return waiters.leave();
  }

  /** Whether others have so much in hand that no slice is left for this process. */
  boolean heldUp() {
    return heldUp;
  }

  /** The time in which a slice comes back, when the limit is out. */
  synchronized long pauseNanos() {
    return leased.pauseNanos(size);
  }

  /** Ends a take of which nothing is known; what it may have charged is lost. */
  void failed(Throwable failure, long now) {
    Waiters.tell(lost(now), failure);
  }

  private synchronized List<Waiters.Waiter> lost(long now) {
    notBefore = now + pauseNanos();
    taking.set(false);
    return waiters.leave();
  }

  private void retire(Slice slice, long now) {
    long unused = slice.close();
    long used = slice.size() - unused;
    long times = LONG_ENOUGH / Math.max(1, slice.age(now));
    if (used < unused) {
      size = Math.max(1, Math.min(size, slice.size() / 2));
    } else if (times >= 1) {
      long grown = slice.size() * Math.max(2, Math.min(times, FASTEST_GROWTH));
      size = Math.min(leased.largest, Math.max(size, grown));
    }
    bringBack(slice, unused);
  }

  private void bringBack(Slice slice, long unused) {
    returning.incrementAndGet();
    lender.giveBack(leased.leasing, key, slice, unused, returning::decrementAndGet);
  }

  /** Brings back what rests or gets old; false when nothing is left to look after. */
  synchronized boolean tend(long now) {
    current = tended(current, now);
    next = tended(next, now);
    boolean goesOn = current != null || next != null || taking.get() || used;
    used = false;
    over = !goesOn;
    return goesOn;
  }

  private @Nullable Slice tended(@Nullable Slice slice, long now) {
    if (slice == null) {
      return null;
    }
    boolean rested = slice.rested();
    long age = slice.age(now);
    if (age >= LEASE_NANOS / 2 || (rested && age >= LEASE_NANOS / 4)) {
      retire(slice, now);
      return null;
    }
    return slice;
  }

  /** Brings everything back, for good. */
  synchronized void close(long now) {
    over = true;
    for (Slice slice : new Slice[] {current, next}) {
      if (slice != null) {
        retire(slice, now);
      }
    }
    current = null;
    next = null;
  }

  /** Forgets what is in hand: the store has forgotten that it was charged. */
  synchronized void discard() {
    for (Slice slice : new Slice[] {current, next}) {
      if (slice != null) {
        slice.close();
        bringBack(slice, 0);
      }
    }
    current = null;
    next = null;
  }

  /** Permits in hand. */
  long left() {
    Slice first = current;
    Slice second = next;
    return (first == null ? 0 : first.left()) + (second == null ? 0 : second.left());
  }
}
