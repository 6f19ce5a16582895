package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Leasing;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All slices of this process. They are looked after four times in a lease, while there are any. */
final class Leases {
  private static final long TEND_MILLIS = Leasing.LEASE.toMillis() / 4;

  private final Store owner;
  private final Lender lender;
  private final Denials denials;
  private final Demand demand = new Demand(Leasing.LEASE.toNanos() / 2);
  // A plan keeps what one store prepared for it; here is the rest, until rules are replaced.
  private final Map<Plan, LeasedPlan> plans = Collections.synchronizedMap(new WeakHashMap<>());
  private final Function<Plan, LeasedPlan> prepare = this::prepare;
  private final Set<LeasedPlan> lending = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean tending = new AtomicBoolean();
  private volatile boolean closed;

  Leases(Store owner, Lender lender, Denials denials) {
    this.owner = owner;
    this.lender = lender;
    this.denials = denials;
  }

  LeasedPlan of(Plan plan) {
    return (LeasedPlan) plan.bound(owner, prepare);
  }

  private LeasedPlan prepare(Plan plan) {
    Leasing leasing = Objects.requireNonNull(plan.leasing());
    return plans.computeIfAbsent(plan, unknown -> new LeasedPlan(leasing, lender, demand));
  }

  /** A decision that needs no question: from a slice, or a denial that still holds. */
  @Nullable Decision answer(LeasedPlan leased, Plan plan, String key, long cost, long now) {
    LeasedKey slices = leased.find(key);
    Decision granted = slices == null ? null : slices.spend(plan, key, cost, now);
    return granted == null
        ? denials.answer(denials.question(leased.leasing.exact(), key, cost, now))
        : granted;
  }

  /** Begins to take a slice for a caller; null if the question is to be asked as it is. */
  @Nullable Taking begin(LeasedPlan leased, Plan plan, Question question) {
    LeasedKey slices = leased.find(question.key());
    Request take = slices == null ? null : slices.begin(question.cost(), question.sent());
    return slices == null || take == null
        ? null
        : new Taking(leased, slices, plan, question, take, lender.nanos);
  }

  /** Waits for a slice that somebody else takes; null if the question is to be asked as it is. */
  @Nullable CompletableFuture<@Nullable Decision> join(
      LeasedPlan leased, Plan plan, Question question) {
    LeasedKey slices = leased.find(question.key());
    return slices == null ? null : slices.join(plan, question);
  }

  /** The store's answer to a question that was asked as it is. */
  Decision heard(LeasedPlan leased, Question question, Decision answer) {
    long now = lender.nanos.getAsLong();
    if (!closed && leased.admitted(question.key(), answer, now)) {
      lending.add(leased);
      tendLater();
    }
    LeasedKey slices = leased.find(question.key());
    return slices == null || slices.heldUp()
        ? denials.heard(question, answer, now)
        : denials.heardPausing(question, answer, now, slices.pauseNanos());
  }

  void discard(Plan plan, String key) {
    LeasedKey slices = of(plan).find(key);
    if (slices != null) {
      slices.discard();
    }
  }

  private void tendLater() {
    if (tending.compareAndSet(false, true)) {
      // The platform's own timer: a thread of ours would outlive its use.
      CompletableFuture.delayedExecutor(TEND_MILLIS, TimeUnit.MILLISECONDS)
          .execute(
              () -> {
                tending.set(false);
                if (!closed && tend()) {
                  tendLater();
                }
              });
    }
  }

  /** Looks after all slices; false when there are none. */
  boolean tend() {
    long now = lender.nanos.getAsLong();
    List<LeasedPlan> idle = lending.stream().filter(leased -> !leased.tend(now)).toList();
    for (LeasedPlan leased : idle) {
      lending.remove(leased);
      if (!leased.isEmpty()) {
        // A key came in between.
        lending.add(leased);
      }
    }
    return !lending.isEmpty();
  }

  long left(String policy) {
    return lending.stream()
        .filter(leased -> leased.leasing.exact().policy().equals(policy))
        .mapToLong(LeasedPlan::left)
        .sum();
  }

  /** Brings all slices back; waits for that, but not for longer than {@code longest}. */
  void close(Duration longest) {
    closed = true;
    long now = lender.nanos.getAsLong();
    lending.forEach(leased -> leased.close(now));
    lender.await(longest);
  }
}
