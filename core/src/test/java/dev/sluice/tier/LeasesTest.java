package dev.sluice.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A slice is taken ahead of need, used here, and brought back. */
class LeasesTest {
  private static final Limit HOURLY = Limit.fixedWindow(1_000, Duration.ofHours(1));

  private final FakeClock clock = new FakeClock();
  private final CountingStore store = new CountingStore(new InMemoryStore(clock, 1_000));
  private final TieredStore tiers = new TieredStore(store, Duration.ZERO, this::nanos);
  private final Sluice sluice = Sluice.of(tiers);
  private final Sluice elsewhere = Sluice.of(store);
  private final RateLimiter limiter = sluice.limiter(leased(HOURLY).maxLeased(40).build());
  private final RateLimiter truth = elsewhere.limiter("p", HOURLY);

  private long nanos() {
    return clock.nowMicros() * 1_000;
  }

  private static Policy.Builder leased(Limit... limits) {
    return Policy.named("p").limits(List.of(limits)).tier(Tier.LEASED);
  }

  private long used() {
    return 1_000 - truth.peek("k").remaining();
  }

  private void take(int times) {
    for (int i = 0; i < times; i++) {
      assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    }
  }

  @Test
  void aQuietKeyIsDecidedExactly() {
    take(3);
    assertThat(used()).isEqualTo(3);
    assertThat(store.calls(Request.Mode.ACQUIRE)).isEqualTo(3);
    assertThat(sluice.leased("p")).isZero();
  }

  @Test
  void aBusyKeyIsDecidedFromSlicesThatGrow() {
    take(500);
    assertThat(store.calls(Request.Mode.ACQUIRE)).isLessThan(50);
    assertThat(used()).isEqualTo(500 + sluice.leased("p"));
    assertThat(sluice.leased("p")).isBetween(1L, 40L);
  }

  @Test
  void asynchronousCallersShareTheSlices() {
    for (int i = 0; i < 500; i++) {
      assertThat(limiter.tryAcquireAsync("k").join().allowed()).isTrue();
    }
    assertThat(store.calls(Request.Mode.ACQUIRE)).isLessThan(50);
    assertThat(used()).isEqualTo(500 + sluice.leased("p"));
  }

  @Test
  void exactlyTheLimitIsAdmittedAndThenItsRetryTimeTold() {
    take(1_000);
    Decision denied = limiter.tryAcquire("k");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied).isEqualTo(truth.peek("k"));
    assertThat(denied.limits())
        .extracting(said -> said.limit().name())
        .containsOnly("fixed-window");
  }

  @Test
  void answersTellWhatIsLeftAndWhen() {
    take(100);
    Decision answer = limiter.tryAcquire("k");
    assertThat(answer.remaining()).isEqualTo(899);
    assertThat(answer.resetAfterMicros()).isEqualTo(truth.peek("k").resetAfterMicros());
    assertThat(answer.limits()).hasSize(1);
    assertThat(answer.policy()).isEqualTo("p");
    assertThat(answer.lease()).isEmpty();
  }

  @Test
  void severalLimitsAreChargedAndToldTogether() {
    RateLimiter both =
        sluice.limiter(
            leased(HOURLY, Limit.slidingLog(2_000, Duration.ofDays(1)).name("day")).build());
    for (int i = 0; i < 1_000; i++) {
      Decision answer = both.tryAcquire("k");
      assertThat(answer.allowed()).isTrue();
      assertThat(answer.limits()).hasSize(2);
      assertThat(answer.remaining()).isLessThanOrEqualTo(999 - i);
    }
    assertThat(both.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void whatRestsIsBroughtBack() {
    take(100);
    assertThat(sluice.leased("p")).isPositive();
    tiers.tend();
    clock.advance(Duration.ofMillis(250));
    tiers.tend();
    assertThat(sluice.leased("p")).isZero();
    assertThat(used()).isEqualTo(100);
    tiers.tend();
    assertThat(tiers.tend()).as("nothing is looked after any more").isFalse();
  }

  @Test
  void whatWasChargedToAnEarlierWindowIsNotGivenBackToThisOne() {
    clock.advance(Duration.ofHours(1).minusMillis(200));
    take(100);
    clock.advance(Duration.ofMillis(300));
    assertThat(truth.tryAcquire("k", 50).allowed()).isTrue();
    tiers.tend();
    clock.advance(Duration.ofMillis(300));
    tiers.tend();
    assertThat(sluice.leased("p")).isZero();
    assertThat(used()).isEqualTo(50);
  }

  @Test
  void nothingIsBothUsedAndBroughtBack() throws InterruptedException {
    for (int round = 0; round < 200; round++) {
      take(20);
      AtomicLong admitted = new AtomicLong(used() - sluice.leased("p"));
      Thread user =
          new Thread(
              () -> {
                for (int i = 0; i < 20; i++) {
                  limiter.tryAcquire("k");
                  admitted.incrementAndGet();
                }
              });
      user.start();
      clock.advance(Duration.ofMillis(500));
      tiers.tend();
      user.join();
      assertThat(used()).isEqualTo(admitted.get() + sluice.leased("p"));
      limiter.reset("k");
    }
  }

  @Test
  void whatIsOldIsBroughtBackThoughItIsUsed() {
    take(20);
    for (int i = 0; i < 4; i++) {
      clock.advance(Duration.ofMillis(200));
      take(1);
      tiers.tend();
    }
    clock.advance(Duration.ofMillis(300));
    tiers.tend();
    clock.advance(Duration.ofMillis(300));
    tiers.tend();
    assertThat(used()).isEqualTo(24);
  }

  @Test
  void anOldSliceIsNotUsedEvenIfNobodyLooksAfterIt() {
    take(100);
    long lost = sluice.leased("p");
    clock.advance(Duration.ofMillis(900));
    take(1);
    assertThat(used()).isGreaterThanOrEqualTo(101 + lost);
  }

  @Test
  void closingBringsEverythingBack() {
    take(100);
    sluice.close();
    assertThat(used()).isEqualTo(100);
    assertThat(store.closed).isTrue();
    Sluice later = Sluice.of(new TieredStore(store, Duration.ZERO, this::nanos));
    RateLimiter other = later.limiter(leased(HOURLY).maxLeased(40).build());
    for (int i = 0; i < 900; i++) {
      assertThat(other.tryAcquire("k").allowed()).isTrue();
    }
    assertThat(other.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void aSliceOnItsWayWhileClosingIsBroughtBack() {
    take(5);
    store.keepsAnswers = true;
    while (store.kept() == 0) {
      take(1);
    }
    long admitted = used() - sluice.leased("p");
    tiers.tend();
    Thread closing = new Thread(sluice::close);
    closing.start();
    while (closing.getState() != Thread.State.WAITING
        && closing.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    store.letGo();
    assertThat(closing).satisfies(thread -> thread.join());
    assertThat(used()).isLessThanOrEqualTo(admitted);
  }

  @Test
  void storeIsClosedAfterSlicesThatCameTooLateWentBack() {
    take(5);
    store.keepsAnswers = true;
    while (store.kept() == 0) {
      take(1);
    }
    Thread closing = new Thread(sluice::close);
    closing.start();
    while (closing.getState() != Thread.State.WAITING
        && closing.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    // So slow that whoever closes has time enough to do it too early.
    store.onTheWay = () -> assertThat(closing).satisfies(thread -> thread.join(100));
    // The take is the oldest, and nothing else is on its way when it is answered.
    store.letGoNewestFirst();
    assertThat(closing).satisfies(thread -> thread.join());
    assertThat(store.askedTooLate).isEmpty();
    assertThat(sluice.leased("p")).isZero();
  }

  @Test
  void othersWhoHoldTheBoundLeaveExactDecisions() {
    Sluice greedy = Sluice.of(new TieredStore(store, Duration.ZERO, this::nanos));
    RateLimiter other = greedy.limiter(leased(HOURLY).maxLeased(4).build());
    RateLimiter mine = sluice.limiter(leased(HOURLY).maxLeased(4).build());
    int admitted = 0;
    for (int i = 0; i < 600; i++) {
      admitted += other.tryAcquire("k").allowed() ? 1 : 0;
      admitted += mine.tryAcquire("k").allowed() ? 1 : 0;
      assertThat(greedy.leased("p") + sluice.leased("p")).isLessThanOrEqualTo(4);
    }
    assertThat(admitted).isBetween(996, 1_000);
  }

  @Test
  void costsAreRespected() {
    for (int i = 0; i < 100; i++) {
      limiter.tryAcquire("k", 1 + i % 7);
    }
    long spent = 0;
    for (int i = 0; i < 100; i++) {
      spent += 1 + i % 7;
    }
    assertThat(used()).isEqualTo(spent + sluice.leased("p"));
    assertThat(limiter.tryAcquire("k", 100).allowed()).isTrue();
    assertThat(used()).isEqualTo(spent + 100 + sluice.leased("p"));
  }

  @Test
  void resetForgetsWhatIsInHand() {
    take(100);
    limiter.reset("k");
    assertThat(sluice.leased("p")).isZero();
    assertThat(used()).isZero();
    take(1_000);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void allElseIsTheStoresToDecide() {
    take(100);
    long inHand = sluice.leased("p");
    assertThat(limiter.peek("k").remaining()).isEqualTo(900 - inHand);
    assertThat(limiter.force("k", 10).remaining()).isEqualTo(890 - inHand);
    assertThat(limiter.refund("k", 10).remaining()).isEqualTo(900 - inHand);
    assertThat(sluice.tryAcquireTogether(List.of(new Check("p", "k"))).get(0).remaining())
        .isEqualTo(899 - inHand);
    Decision taken = limiter.tryAcquire("k");
    long before = used();
    limiter.giveBack(taken);
    assertThat(used()).isEqualTo(before - 1);
  }

  @Test
  void aBoundTooSmallForSlicesMeansExactDecisions() {
    RateLimiter hundred =
        sluice.limiter(leased(Limit.fixedWindow(100, Duration.ofHours(1))).build());
    for (int i = 0; i < 100; i++) {
      assertThat(hundred.tryAcquire("k").allowed()).isTrue();
      assertThat(sluice.leased("p")).isZero();
    }
    assertThat(hundred.tryAcquire("k").allowed()).isFalse();
    assertThat(hundred.tryAcquireAsync("k").join().allowed()).isFalse();
  }
}
