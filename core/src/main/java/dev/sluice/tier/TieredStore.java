package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Leasing;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What stands before a store that many processes share: denials are repeated until their retry
 * time, but not for longer than a bound, and policies of tier leased are decided from slices. All
 * else goes through. Safe for use by many threads.
 *
 * <p>docs/tiers.md tells what each tier gives up.
 */
public final class TieredStore implements Store {
  /** How long a denial is repeated, unless told otherwise. */
  public static final Duration DENIALS_HELD = Duration.ofMillis(20);

  /** How long a denial can be repeated at most. */
  public static final Duration LONGEST_HELD = Duration.ofSeconds(10);

  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(1);

  // The first may learn that there is less; the second takes that.
  private static final int MOST_TAKES = 2;

  private final Store store;
  private final LongSupplier nanos;
  private final Denials denials;
  private final Leases leases;

  /**
   * Stands before {@code store}, which is closed with this.
   *
   * @param denialsHeld how late a refund made elsewhere is seen: after three quarters of it the
   *     store is asked again; from 0, to ask every time, to 10 seconds
   */
  public TieredStore(Store store, Duration denialsHeld) {
    this(store, denialsHeld, System::nanoTime);
  }

  TieredStore(Store store, Duration denialsHeld, LongSupplier nanos) {
    this.store = store;
    this.nanos = nanos;
    if (denialsHeld.isNegative() || denialsHeld.compareTo(LONGEST_HELD) > 0) {
      throw new IllegalArgumentException(
          "denials held must be from 0 to 10 seconds, got " + denialsHeld);
    }
    this.denials = new Denials(denialsHeld.toNanos());
    this.leases = new Leases(this, new Lender(store, denials, nanos), denials);
  }

  @Override
  public Decision tryAcquire(Plan plan, String key, long cost) {
    return plan.leasing() == null ? exact(plan, key, cost) : leased(plan, key, cost);
  }

  private Decision exact(Plan plan, String key, long cost) {
    Question question = denials.question(plan, key, cost, nanos.getAsLong());
    Decision denied = denials.answer(question);
    if (denied != null) {
      return denied;
    }
    try {
      return heard(question, store.tryAcquire(plan, key, cost));
    } catch (StoreUnavailableException failure) {
      denials.drop(question);
      throw failure;
    }
  }

  /** The clock is read for denials only: for most answers that would be work in vain. */
  private Decision heard(Question question, Decision answer) {
    if (answer.allowed()) {
      denials.drop(question);
      return answer;
    }
    return denials.heard(question, answer, nanos.getAsLong());
  }

  private Decision leased(Plan plan, String key, long cost) {
    LeasedPlan leased = leases.of(plan);
    Plan exact = leased.leasing.exact();
    if (!leased.lends()) {
      return exact(exact, key, cost);
    }
    long now = nanos.getAsLong();
    Decision known = leases.answer(leased, plan, key, cost, now);
    if (known != null) {
      return known;
    }
    Question question = denials.question(exact, key, cost, now);
    Decision granted = take(leased, plan, question);
    return granted == null
        ? leases.heard(leased, question, store.tryAcquire(exact, key, cost))
        : granted;
  }

  private @Nullable Decision take(LeasedPlan leased, Plan plan, Question question) {
    for (int i = 0; i < MOST_TAKES; i++) {
      Taking taking = leases.begin(leased, plan, question);
      if (taking == null) {
        return await(leases.join(leased, plan, question));
      }
      Decision granted = taking.heard(taking.ask(store), denials);
      if (granted != null) {
        return granted;
      }
    }
    return null;
  }

  private static @Nullable Decision await(@Nullable CompletableFuture<@Nullable Decision> slice) {
    try {
      return slice == null ? null : slice.join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException known ? known : failed;
    }
  }

  @Override
  public Decision decide(Request request) {
    if (isPlain(request)) {
      return tryAcquire(request.plan(), request.key(), request.cost());
    }
    before(request);
    try {
      return store.decide(through(request));
    } finally {
      after(request);
    }
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request) {
    return decideAsync(request, TieredStore::asItIs);
  }

  private static Decision asItIs(@Nullable Decision answer, @Nullable Throwable failure) {
    if (answer == null) {
      throw failure instanceof CompletionException told ? told : new CompletionException(failure);
    }
    return answer;
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request, Ending then) {
    if (!isPlain(request)) {
      before(request);
      return store
          .decideAsync(through(request))
          .whenComplete((decision, failure) -> after(request))
          .handle(then);
    }
    return request.plan().leasing() == null
        ? exactAsync(request, then)
        : leasedAsync(request, then);
  }

  private CompletableFuture<Decision> exactAsync(Request request, Ending then) {
    long now = nanos.getAsLong();
    int set = denials.set(request.plan().policy(), request.key());
    int epoch = denials.epoch(set);
    Decision denied = denials.answer(set, request.plan(), request.key(), request.cost(), now);
    if (denied != null) {
      return CompletableFuture.completedFuture(then.apply(denied, null));
    }
    return store.decideAsync(
        request,
        now,
        (answer, failure) -> {
          if (answer == null || answer.allowed()) {
            denials.drop(set, request.plan(), request.key(), request.cost());
          } else {
            Question question =
                new Question(request.plan(), request.key(), request.cost(), now, set, epoch);
            denials.heard(question, answer, nanos.getAsLong());
          }
          return then.apply(answer, failure);
        });
  }

  private CompletableFuture<Decision> leasedAsync(Request request, Ending then) {
    Plan plan = request.plan();
    LeasedPlan leased = leases.of(plan);
    Request exact = through(request);
    if (!leased.lends()) {
      return exactAsync(exact, then);
    }
    long now = nanos.getAsLong();
    Decision known = leases.answer(leased, plan, request.key(), request.cost(), now);
    if (known != null) {
      return CompletableFuture.completedFuture(then.apply(known, null));
    }
    Question question = denials.question(exact.plan(), request.key(), request.cost(), now);
    return takeAsync(leased, plan, question, MOST_TAKES)
        .thenCompose(
            granted ->
                granted != null
                    ? CompletableFuture.completedFuture(granted)
                    : store
                        .decideAsync(exact)
                        .thenApply(answer -> leases.heard(leased, question, answer)))
        .handle(then);
  }

  private CompletableFuture<@Nullable Decision> takeAsync(
      LeasedPlan leased, Plan plan, Question question, int tries) {
    if (tries == 0) {
      return CompletableFuture.completedFuture(null);
    }
    Taking taking = leases.begin(leased, plan, question);
    if (taking == null) {
      CompletableFuture<@Nullable Decision> slice = leases.join(leased, plan, question);
      return slice == null ? CompletableFuture.completedFuture(null) : slice;
    }
    return taking
        .askAsync(store)
        .thenApply(answer -> taking.heard(answer, denials))
        .thenCompose(
            granted ->
                granted == null
                    ? takeAsync(leased, plan, question, tries - 1)
                    : CompletableFuture.completedFuture(granted));
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    return store.decideTogether(requests.stream().map(TieredStore::through).toList());
  }

  @Override
  public CompletableFuture<List<Decision>> decideTogetherAsync(List<Request> requests) {
    return store.decideTogetherAsync(requests.stream().map(TieredStore::through).toList());
  }

  private static boolean isPlain(Request request) {
    return request.mode() == Request.Mode.ACQUIRE && !request.plan().concurrent();
  }

  /** What the store is asked: slices are none of its business. */
  private static Request through(Request request) {
    Leasing leasing = request.plan().leasing();
    return leasing == null ? request : request.under(leasing.exact());
  }

  private void before(Request request) {
    if (request.mode() == Request.Mode.RESET && request.plan().leasing() != null) {
      leases.discard(request.plan(), request.key());
    }
  }

  /** What gives permits back makes denials void, also where it is not known whether it did. */
  private void after(Request request) {
    switch (request.mode()) {
      case GIVE_BACK, RESET, RELEASE, COMMIT ->
          denials.forget(request.plan().policy(), request.key());
      case ACQUIRE, BOOK, PEEK, FORCE, POSTPONE, RESERVE -> {}
    }
  }

  /** Brings back what rests or gets old, as the timer does; false when nothing is in hand. */
  boolean tend() {
    return leases.tend();
  }

  @Override
  public long leased(String policy) {
    return leases.left(policy);
  }

  /** Gives all slices back, for a second at most, and closes the store. */
  @Override
  public void close() {
    leases.close(LONGEST_CLOSE);
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
