package dev.sluice.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Who finds nothing in hand waits for the slice that is on its way, if it has something for him.
 */
class WaitersTest {
  private static final Limit HOURLY = Limit.fixedWindow(1_000, Duration.ofHours(1));
  private static final long SLICE = 20;

  private final FakeClock clock = new FakeClock();
  private final CountingStore store = new CountingStore(new InMemoryStore(clock, 1_000));
  private final TieredStore tiers =
      new TieredStore(store, Duration.ZERO, () -> clock.nowMicros() * 1_000);
  private final RateLimiter limiter =
      Sluice.of(tiers)
          .limiter(
              Policy.named("p")
                  .limits(List.of(HOURLY))
                  .tier(Tier.LEASED)
                  .maxLeased(2 * SLICE)
                  .build());
  private final RateLimiter truth = Sluice.of(store).limiter("p", HOURLY);

  @BeforeEach
  void growSlices() {
    take(200);
  }

  private void take(int times) {
    for (int i = 0; i < times; i++) {
      assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    }
  }

  /** Uses up what is in hand, while the answer to whoever takes the next slice is kept back. */
  private void runDry() {
    store.keepsAnswers = true;
    useUp();
  }

  private void useUp() {
    while (tiers.leased("p") > 0) {
      take(1);
    }
  }

  private List<CompletableFuture<Decision>> ask(int times, long cost) {
    List<CompletableFuture<Decision>> answers = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      answers.add(limiter.tryAcquireAsync("k", cost));
    }
    return answers;
  }

  private long used() {
    return 1_000 - truth.peek("k").remaining();
  }

  @Test
  void asManyWaitAsTheSliceHasPermitsAndOthersAskForThemselves() {
    runDry();
    int before = store.calls();
    List<CompletableFuture<Decision>> answers = ask((int) SLICE, 1);
    assertThat(answers).noneMatch(CompletableFuture::isDone);
    assertThat(store.calls()).isEqualTo(before);
    answers.addAll(ask(1, 1));
    assertThat(store.calls()).isEqualTo(before + 1);
    long charged = used();
    store.letGo();
    assertThat(answers).allMatch(answer -> answer.join().allowed());
    assertThat(answers.get(0).join().remaining()).as("told by the slice").isPositive();
    assertThat(tiers.leased("p")).isZero();
    assertThat(used()).isEqualTo(charged);
  }

  @Test
  void whoWaitsForMoreLeavesLess() {
    runDry();
    int before = store.calls();
    List<CompletableFuture<Decision>> answers = ask(1, SLICE - 5);
    ask(1, 6);
    assertThat(store.calls()).as("six of the five that are left").isEqualTo(before + 1);
    answers.addAll(ask(1, 5));
    assertThat(store.calls()).isEqualTo(before + 1);
    store.letGo();
    assertThat(answers).allMatch(answer -> answer.join().allowed());
    assertThat(tiers.leased("p")).isZero();
  }

  @Test
  void noMoreWaitThanAStoreThatAnswersCouldMakeWait() {
    Waiters waiters = new Waiters();
    waiters.expect(Long.MAX_VALUE);
    Plan plan = store.asked.get(0).plan();
    Question question = new Question(plan, "k", 1, 0, 0, 0);
    for (int i = 0; i < Waiters.MOST; i++) {
      assertThat(waiters.join(plan, question)).isNotNull();
    }
    assertThat(waiters.join(plan, question)).isNull();
    assertThat(waiters.leave()).hasSize(Waiters.MOST);
  }

  @Test
  void callerWhoBlocksWaitsAsWell() throws InterruptedException {
    runDry();
    long before = store.calls(Request.Mode.ACQUIRE);
    List<Decision> heard = new ArrayList<>();
    Thread caller = new Thread(() -> heard.add(limiter.tryAcquire("k")));
    caller.start();
    while (caller.isAlive() && caller.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    store.letGo();
    caller.join();
    assertThat(heard).singleElement().matches(Decision::allowed);
    assertThat(store.calls(Request.Mode.ACQUIRE)).isEqualTo(before);
  }

  @Test
  void whoWaitedInVainAsksForHimself() {
    assertThat(truth.tryAcquire("k", 1_000 - used()).allowed()).isTrue();
    runDry();
    List<CompletableFuture<Decision>> answers = ask(3, 1);
    assertThat(answers).noneMatch(CompletableFuture::isDone);
    store.letGo();
    assertThat(answers).allMatch(answer -> answer.join().equals(truth.peek("k")));
  }

  @Test
  void whoWaitsForASliceThatIsLostIsToldWhatWhoTookItIsTold() throws InterruptedException {
    runDry();
    int before = store.calls();
    List<Decision> heard = new ArrayList<>();
    Thread caller = new Thread(() -> heard.add(limiter.tryAcquire("k")));
    caller.start();
    while (caller.isAlive() && caller.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    List<CompletableFuture<Decision>> answers = ask(1, 1);
    store.loseAll();
    caller.join();
    assertThat(answers.get(0).join()).matches(Decision::degraded);
    assertThat(heard).singleElement().matches(Decision::degraded);
    assertThat(store.calls()).as("nobody asks the store once more").isEqualTo(before);
  }

  /** Only the call that met the store's defect hears of it. */
  @Test
  void takeThatCannotEvenBeSentLeavesNobodyWaiting() {
    runDry();
    store.loseAll();
    store.keepsAnswers = false;
    clock.advance(Duration.ofMillis(5));
    store.onTheWay =
        () -> {
          throw new IllegalStateException("a defect");
        };
    assertThat(limiter.tryAcquireAsync("k")).isCompletedExceptionally();
    store.onTheWay = () -> {};
    assertThat(limiter.tryAcquireAsync("k")).isDone();
    clock.advance(Duration.ofSeconds(2));
    store.asked.clear();
    take(10);
    assertThat(store.asked)
        .as("slices are taken again")
        .anyMatch(request -> request.mode() == Request.Mode.ACQUIRE && request.id() != null);
  }

  @Test
  void nobodyWaitsWhereNothingIsOnItsWay() {
    runDry();
    store.loseAll();
    store.keepsAnswers = false;
    assertThat(limiter.tryAcquireAsync("k")).isDone();
  }

  @Test
  void whoTakesTheSliceHasTheFirstClaimToIt() {
    runDry();
    store.loseAll();
    clock.advance(Duration.ofMillis(5));
    List<CompletableFuture<Decision>> answers = ask(1, 7);
    int before = store.calls();
    answers.addAll(ask(1, SLICE - 7));
    assertThat(store.calls()).isEqualTo(before);
    ask(1, 1);
    assertThat(store.calls()).isEqualTo(before + 1);
    store.letGo();
    assertThat(answers).allMatch(answer -> answer.join().allowed());
    assertThat(tiers.leased("p")).isZero();
  }

  /** It was sent first, but by another connection. */
  @Test
  void takeThatOvertakesASliceOfOursOnItsWayBackIsMadeAgainAtOnce() {
    store.slow = request -> request.mode() == Request.Mode.RELEASE;
    useUp();
    store.slow = request -> false;
    store.letGo();
    store.asked.clear();
    take(100);
    assertThat(store.asked)
        .filteredOn(request -> request.mode() == Request.Mode.ACQUIRE)
        .allMatch(request -> request.id() != null, "takes a slice");
  }
}
