package dev.sluice.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Leasing;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Policy;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Slices, demand and denials one by one, with times of their own. */
class PartsTest {
  private static final long MILLI = 1_000_000;
  private static final Limit LIMIT = Limit.fixedWindow(1_000, Duration.ofHours(1));

  private final FakeClock clock = new FakeClock();
  private final CountingStore store = new CountingStore(new InMemoryStore(clock, 1_000));

  private Plan plan(Limit... limits) {
    Policy policy =
        Policy.named("p").limits(List.of(limits)).tier(Tier.LEASED).maxLeased(40).build();
    Sluice.of(store).limiter(policy).peek("somebody");
    return store.asked.get(store.calls() - 1).plan();
  }

  /** A slice of so many permits, received at 5 ms and of no use from 900 ms on. */
  private Slice slice(Plan plan, long size) {
    Request take = new Request(leasing(plan).take(), "k", size, Request.Mode.ACQUIRE, 0, "one", 0);
    return new Slice(take, store.decide(take), 900 * MILLI, 5 * MILLI);
  }

  private static Decision spent(Slice slice, Plan plan, long cost, long now) {
    return Objects.requireNonNull(slice.spend(plan, "k", cost, now));
  }

  private static @Nullable Decision answer(Denials denials, Plan plan, long now) {
    return denials.answer(denials.question(plan, "k", 1, now));
  }

  @Test
  void sliceTellsWhatTheLimitHasLeftAndWhatIsInHand() {
    Plan plan = plan(LIMIT);
    Slice slice = slice(plan, 10);
    long reset = spent(slice, plan, 1, 5 * MILLI).resetAfterMicros();
    Decision granted = spent(slice, plan, 3, 25 * MILLI);
    assertThat(granted.remaining()).isEqualTo(990 + 6);
    assertThat(granted.resetAfterMicros()).isEqualTo(reset - 20_000);
    assertThat(granted.cost()).isEqualTo(3);
    assertThat(slice.left()).isEqualTo(6);
  }

  @Test
  void sliceOfSeveralLimitsTellsEach() {
    Plan plan = plan(LIMIT, Limit.slidingLog(500, Duration.ofHours(2)).name("log"));
    Slice slice = slice(plan, 10);
    Decision first = spent(slice, plan, 4, 5 * MILLI);
    Decision later = spent(slice, plan, 1, 25 * MILLI);
    assertThat(later.limits()).hasSize(2);
    assertThat(later.limits().get(0).remaining()).isEqualTo(990 + 5);
    assertThat(later.limits().get(1).remaining()).isEqualTo(490 + 5);
    assertThat(later.limits().get(1).resetAfterMicros())
        .isEqualTo(first.limits().get(1).resetAfterMicros() - 20_000);
  }

  @Test
  void sliceIsNotUsedBeyondItsEndNorItsPermits() {
    Plan plan = plan(LIMIT);
    Slice slice = slice(plan, 10);
    assertThat(slice.spend(plan, "k", 11, 6 * MILLI)).isNull();
    assertThat(slice.spend(plan, "k", 1, 900 * MILLI - 1)).isNotNull();
    assertThat(slice.spend(plan, "k", 1, 900 * MILLI)).isNull();
    assertThat(slice.spend(plan, "k", 9, 6 * MILLI)).isNotNull();
    assertThat(slice.isEmpty()).isTrue();
  }

  @Test
  void sliceIsLowWhenLessThanHalfIsLeft() {
    Plan plan = plan(LIMIT);
    Slice slice = slice(plan, 10);
    spent(slice, plan, 5, 6 * MILLI);
    assertThat(slice.isLow()).isFalse();
    spent(slice, plan, 1, 6 * MILLI);
    assertThat(slice.isLow()).isTrue();
  }

  @Test
  void sliceHasRestedIfNothingWasUsedBetweenTwoLooks() {
    Plan plan = plan(LIMIT);
    Slice slice = slice(plan, 10);
    assertThat(slice.rested()).as("never looked at before").isFalse();
    assertThat(slice.rested()).isTrue();
    spent(slice, plan, 1, 6 * MILLI);
    assertThat(slice.rested()).isFalse();
    assertThat(slice.age(25 * MILLI)).isEqualTo(20 * MILLI);
    assertThat(slice.close()).isEqualTo(9);
    assertThat(slice.left()).isZero();
  }

  @Test
  void demandIsCountedByKeyAndPolicyAndInterval() {
    Demand demand = new Demand(500);
    assertThat(demand.count("p", "k", 1_000)).isEqualTo(1);
    assertThat(demand.count("p", "k", 1_499)).isEqualTo(2);
    assertThat(demand.count("p", "other", 1_499)).isEqualTo(1);
    assertThat(demand.count("q", "k", 1_499)).isEqualTo(1);
    assertThat(demand.count("p", "k", 1_500)).isEqualTo(1);
  }

  @Test
  void keysSpreadOverThePlacesOfTheDemand() {
    Demand demand = new Demand(500);
    long met = 0;
    for (int i = 0; i < 200; i++) {
      met += demand.count("p", "key" + i, 0) > 1 ? 1 : 0;
    }
    assertThat(met).as("keys of 200 that share one of 1,024 places").isLessThan(60);
  }

  private LeasedPlan leased(Limit limit, long most) {
    Leasing leasing = leasing(plan(limit));
    return new LeasedPlan(
        new Leasing(most, leasing.exact(), leasing.take(), leasing.hold()),
        new Lender(store, new Denials(0), () -> 0),
        new Demand(500 * MILLI));
  }

  private static Leasing leasing(Plan plan) {
    return Objects.requireNonNull(plan.leasing());
  }

  @Test
  void pauseIsTheTimeOfASliceAndFiveMillisecondsAtMost() {
    LeasedPlan thousandASecond = leased(Limit.fixedWindow(1_000, Duration.ofSeconds(1)), 40);
    assertThat(thousandASecond.pauseNanos(2)).isEqualTo(2 * MILLI);
    assertThat(thousandASecond.pauseNanos(4)).isEqualTo(4 * MILLI);
    assertThat(thousandASecond.pauseNanos(6)).isEqualTo(5 * MILLI);
  }

  @Test
  void slicesAreLentFromTwoPermitsOn() {
    assertThat(leased(LIMIT, 3).lends()).isFalse();
    assertThat(leased(LIMIT, 4).lends()).isTrue();
    assertThat(leased(LIMIT, 41).largest).isEqualTo(20);
  }

  @Test
  void keyHasSlicesFromItsFourthAdmissionOn() {
    LeasedPlan leased = leased(LIMIT, 40);
    Plan exact = leased.leasing.exact();
    Decision allowed = store.tryAcquire(exact, "k", 1);
    assertThat(leased.isEmpty()).isTrue();
    for (int i = 0; i < 3; i++) {
      assertThat(leased.admitted("k", allowed, 0)).isFalse();
    }
    assertThat(leased.admitted("k", allowed, 0)).isTrue();
    assertThat(leased.admitted("k", allowed, 0)).as("once").isFalse();
    assertThat(leased.isEmpty()).isFalse();
    assertThat(leased.find("k")).isNotNull();
    assertThat(leased.find("other")).isNull();
  }

  @Test
  void sliceThatFollowsIsTakenOnlyWhereNoneDoes() {
    LeasedPlan leased = leased(LIMIT, 40);
    Lender lender = new Lender(store, new Denials(0), () -> 0);
    LeasedKey key = new LeasedKey(leased, lender, "k", 20, 0);
    for (int i = 0; i < 2; i++) {
      Request take = Objects.requireNonNull(key.begin(0, 0));
      key.add(LeasedKey.slice(take, store.decide(take), 0, 0), 0);
    }
    assertThat(key.left()).isEqualTo(40);
    assertThat(key.begin(0, 0)).as("one to follow").isNull();
    assertThat(key.begin(1, 0)).as("one for somebody who has too little").isNotNull();
  }

  private Decision denied(Plan plan) {
    store.tryAcquire(plan, "k", 1_000);
    Decision denied = store.tryAcquire(plan, "k", 1);
    assertThat(denied.allowed()).isFalse();
    return denied;
  }

  @Test
  void denialThatPausesIsAskedAgainAfterThePause() {
    Plan plan = leasing(plan(LIMIT)).exact();
    Denials denials = new Denials(20 * MILLI);
    Question question = denials.question(plan, "k", 1, 0);
    denials.heardPausing(question, denied(plan), MILLI, 4 * MILLI);
    // Out for an hour, so it is asked again after three quarters of the bound.
    Decision held = Objects.requireNonNull(answer(denials, plan, 2 * MILLI));
    assertThat(held.allowed()).isFalse();
    assertThat(answer(denials, plan, 15 * MILLI - 1)).isNotNull();
    assertThat(answer(denials, plan, 15 * MILLI)).as("one asks").isNull();
    assertThat(answer(denials, plan, 15 * MILLI)).as("the others do not").isNotNull();
    assertThat(answer(denials, plan, 20 * MILLI)).as("it is over").isNull();
  }

  /** As a slice that comes too late goes back: nobody closes the store before that is answered. */
  @Test
  void whatIsSentForAnAnswerIsAwaitedAsWell() {
    Request take = Request.acquire(plan(LIMIT), "k", 1);
    Lender lender = new Lender(store, new Denials(0), () -> 0);
    store.keepsAnswers = true;
    lender.send(take, (taken, failure) -> lender.send(take, (back, lost) -> {}));
    CompletableFuture<Boolean> all = lender.allAnswered();
    store.letOldestGo();
    assertThat(all).isNotDone();
    store.letOldestGo();
    assertThat(all).isCompletedWithValue(true);
  }

  @Test
  void shortDenialIsHeldForThePauseAndTellsIt() {
    Plan plan = leasing(plan(Limit.tokenBucket(1_000, Duration.ofSeconds(1)))).exact();
    Denials denials = new Denials(20 * MILLI);
    Decision denied = denied(plan);
    assertThat(denied.retryAfterMicros()).isEqualTo(1_000);
    denials.heardPausing(denials.question(plan, "k", 1, 0), denied, 0, 4 * MILLI);
    Decision held = Objects.requireNonNull(answer(denials, plan, MILLI));
    assertThat(held.retryAfterMicros()).isEqualTo(3_000);
    assertThat(answer(denials, plan, 4 * MILLI)).isNull();
  }

  @Test
  void pauseHoldsUpADenialThatIsThereAndNoOther() {
    Plan plan = leasing(plan(LIMIT)).exact();
    Denials denials = new Denials(20 * MILLI);
    Question question = denials.question(plan, "k", 1, 0);
    denials.pause(question, 0, 4 * MILLI);
    assertThat(answer(denials, plan, 0)).as("nothing was denied").isNull();
    denials.heardPausing(question, denied(plan), 0, 4 * MILLI);
    denials.pause(denials.question(plan, "k", 1, 10 * MILLI), 10 * MILLI, 8 * MILLI);
    assertThat(answer(denials, plan, 17 * MILLI)).isNotNull();
    assertThat(answer(denials, plan, 18 * MILLI)).isNull();
  }

  @Test
  void nothingIsHeldWhereTheBoundIsZeroOrTheAnswerAllows() {
    Plan plan = leasing(plan(LIMIT)).exact();
    Denials none = new Denials(0);
    none.heardPausing(none.question(plan, "k", 1, 0), denied(plan), 0, MILLI);
    assertThat(answer(none, plan, 0)).isNull();
    Denials some = new Denials(20 * MILLI);
    Question question = some.question(plan, "k", 1, 0);
    some.heardPausing(question, denied(plan), 0, MILLI);
    some.heardPausing(question, store.tryAcquire(plan, "free", 1), 0, MILLI);
    assertThat(answer(some, plan, 0)).as("dropped").isNull();
  }
}
