package dev.sluice.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A key that is out is answered here; what changes it is heard of at once, or within the bound. */
class DenialsTest {
  private static final Duration BOUND = Duration.ofMillis(20);
  private static final Limit MINUTELY = Limit.slidingLog(2, Duration.ofMinutes(1));

  private final FakeClock clock = new FakeClock();
  private final CountingStore store = new CountingStore(new InMemoryStore(clock, 1_000));
  private final Sluice elsewhere = Sluice.of(store);
  private final Sluice sluice = Sluice.of(tiered(BOUND));
  private final RateLimiter limiter = sluice.limiter("p", MINUTELY);

  private TieredStore tiered(Duration bound) {
    return new TieredStore(store, bound, () -> clock.nowMicros() * 1_000);
  }

  private void exhaust() {
    limiter.tryAcquire("k", 2);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void aKeyThatIsOutCostsTheStoreNothing() {
    exhaust();
    int before = store.calls();
    for (int i = 0; i < 1_000; i++) {
      assertThat(limiter.tryAcquire("k").allowed()).isFalse();
      assertThat(limiter.tryAcquireAsync("k").join().allowed()).isFalse();
    }
    assertThat(store.calls()).isEqualTo(before);
    assertThat(limiter.tryAcquire("other").allowed()).isTrue();
  }

  @Test
  void aSecondOfDenialsIsFewerThanAHundredCalls() {
    exhaust();
    int before = store.calls();
    for (int i = 0; i < 10_000; i++) {
      clock.advanceMicros(100);
      assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    }
    assertThat(store.calls() - before).isBetween(50, 70);
  }

  @Test
  void timesPassInARepeatedDenial() {
    exhaust();
    Decision first = limiter.tryAcquire("k");
    clock.advanceMicros(10_000);
    int before = store.calls();
    Decision later = limiter.tryAcquire("k");
    assertThat(store.calls()).isEqualTo(before);
    assertThat(later.retryAfterMicros()).isEqualTo(first.retryAfterMicros() - 10_000);
    assertThat(later.resetAfterMicros()).isEqualTo(first.resetAfterMicros() - 10_000);
    assertThat(later.limits().get(0).retryAfterMicros()).isEqualTo(later.retryAfterMicros());
    assertThat(later).isEqualTo(elsewhere.limiter("p", MINUTELY).tryAcquire("k"));
  }

  @Test
  void allowedAtTheVeryInstantThatItWasTold() {
    RateLimiter quick = sluice.limiter("quick", Limit.tokenBucket(100, Duration.ofSeconds(1)));
    quick.tryAcquire("k", 100);
    long wait = quick.tryAcquire("k").retryAfterMicros();
    assertThat(wait).isEqualTo(10_000);
    clock.advanceMicros(wait - 1);
    Decision early = quick.tryAcquire("k");
    assertThat(early.allowed()).isFalse();
    assertThat(early.retryAfterMicros()).isEqualTo(1);
    clock.advanceMicros(1);
    assertThat(quick.tryAcquire("k").allowed()).isTrue();
  }

  @Test
  void limitThatHasRoomAgainSaysSo() {
    RateLimiter two =
        sluice.limiter(
            "two",
            Limit.fixedWindow(1, Duration.ofHours(1)).name("hour"),
            Limit.tokenBucket(1, Duration.ofMillis(5)).name("bucket"));
    two.tryAcquire("k");
    assertThat(two.tryAcquire("k").limits().get(1).allowed()).isFalse();
    clock.advanceMicros(5_000);
    Decision later = two.tryAcquire("k");
    assertThat(later.allowed()).isFalse();
    assertThat(later.limits().get(0).allowed()).isFalse();
    assertThat(later.limits().get(1).allowed()).isTrue();
    assertThat(later.binding().orElseThrow().name()).isEqualTo("hour");
  }

  @Test
  void refundMadeElsewhereIsSeenWithinTheBound() {
    exhaust();
    elsewhere.limiter("p", MINUTELY).reset("k");
    clock.advanceMicros(14_999);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    clock.advanceMicros(1);
    assertThat(limiter.tryAcquire("k").allowed()).as("asked again").isTrue();
    assertThat(limiter.tryAcquire("k").allowed()).as("nothing is left of the denial").isTrue();
  }

  @Test
  void whatIsGivenBackHereIsSeenAtOnce() {
    exhaust();
    limiter.refund("k", 1);
    Decision taken = limiter.tryAcquire("k");
    assertThat(taken.allowed()).isTrue();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    limiter.giveBack(taken);
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    limiter.reset("k");
    String id = limiter.reserve("k", 2, Duration.ZERO, Duration.ofMinutes(1)).id();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    limiter.cancel(id);
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
  }

  @Test
  void denialThatWasOnItsWayDuringAResetIsNotRepeated() {
    limiter.tryAcquire("k", 2);
    store.keepsAnswers = true;
    CompletableFuture<Decision> underway = limiter.tryAcquireAsync("k");
    store.keepsAnswers = false;
    limiter.reset("k");
    store.letGo();
    assertThat(underway.join().allowed()).isFalse();
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
  }

  @Test
  void oneAsksAgainWhileTheOthersAreDenied() {
    exhaust();
    clock.advanceMicros(15_000);
    store.keepsAnswers = true;
    int before = store.calls();
    CompletableFuture<Decision> asking = limiter.tryAcquireAsync("k");
    assertThat(asking).isNotDone();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    clock.advanceMicros(20_000);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    assertThat(store.calls() - before).isEqualTo(1);
    elsewhere.limiter("p", MINUTELY).reset("k");
    store.letGo();
    assertThat(asking.join().allowed()).isFalse();
    assertThat(limiter.tryAcquire("k").allowed()).as("that answer was old when it came").isTrue();
  }

  @Test
  void aQuestionThatFailsEndsTheDenial() {
    exhaust();
    clock.advanceMicros(15_000);
    store.dead = true;
    assertThat(limiter.tryAcquire("k").degraded()).isTrue();
    assertThat(limiter.tryAcquire("k").degraded()).isTrue();
    store.dead = false;
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    clock.advanceMicros(15_000);
    store.dead = true;
    assertThat(limiter.tryAcquireAsync("k").join().degraded()).isTrue();
    assertThat(limiter.tryAcquireAsync("k").join().degraded()).isTrue();
  }

  @Test
  void aQuestionThatIsNeverAnsweredHoldsNobodyUpForLong() {
    exhaust();
    clock.advanceMicros(15_000);
    store.keepsAnswers = true;
    assertThat(limiter.tryAcquireAsync("k")).isNotDone();
    int before = store.calls();
    clock.advanceMicros(184_999);
    limiter.tryAcquire("k");
    assertThat(store.calls()).isEqualTo(before);
    clock.advanceMicros(1);
    limiter.tryAcquire("k");
    assertThat(store.calls()).isEqualTo(before + 1);
  }

  @Test
  void anotherCostIsAskedForItself() {
    RateLimiter bucket = sluice.limiter("bucket", Limit.tokenBucket(10, Duration.ofSeconds(10)));
    bucket.tryAcquire("k", 9);
    assertThat(bucket.tryAcquire("k", 2).retryAfterMicros()).isEqualTo(1_000_000);
    assertThat(bucket.tryAcquire("k", 3).retryAfterMicros()).isEqualTo(2_000_000);
    assertThat(bucket.tryAcquire("k", 1).allowed()).isTrue();
  }

  @Test
  void replacedLimitIsAskedForItself() {
    exhaust();
    sluice.limiter("p", Limit.slidingLog(3, Duration.ofMinutes(1)));
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    int before = store.calls();
    sluice.limiter("p", Limit.slidingLog(3, Duration.ofMinutes(1)));
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    sluice.limiter("p", Limit.slidingLog(3, Duration.ofMinutes(1)));
    assertThat(limiter.tryAcquire("k").allowed()).as("the same limit, made anew").isFalse();
    assertThat(store.calls() - before).isEqualTo(1);
  }

  @Test
  void onlyPlainRequestsAreAnswered() throws InterruptedException {
    exhaust();
    limiter.peek("k");
    limiter.force("k", 1);
    limiter.acquire("k", Duration.ofMillis(1));
    limiter.reserve("k", 1, Duration.ZERO, Duration.ofSeconds(1));
    sluice.tryAcquireTogether(List.of(new Check("p", "k")));
    assertThat(store.asked)
        .extracting(Request::mode)
        .containsExactly(
            Request.Mode.ACQUIRE,
            Request.Mode.ACQUIRE,
            Request.Mode.PEEK,
            Request.Mode.FORCE,
            Request.Mode.BOOK,
            Request.Mode.RESERVE,
            Request.Mode.ACQUIRE);
  }

  @Test
  void heldPermitsAreAlwaysAskedFor() {
    RateLimiter held = sluice.limiter("held", Limit.concurrency(1));
    String lease = held.tryAcquire("k").lease().orElseThrow();
    assertThat(held.tryAcquire("k").allowed()).isFalse();
    elsewhere.limiter("held", Limit.concurrency(1));
    assertThat(elsewhere.release(lease)).isTrue();
    assertThat(held.tryAcquire("k").allowed()).isTrue();
  }

  @Test
  void withoutABoundEveryDenialIsAskedFor() {
    RateLimiter asking = Sluice.of(tiered(Duration.ZERO)).limiter("p", MINUTELY);
    exhaust();
    int before = store.calls();
    assertThat(asking.tryAcquire("k").allowed()).isFalse();
    assertThat(asking.tryAcquire("k").allowed()).isFalse();
    assertThat(store.calls() - before).isEqualTo(2);
  }

  @Test
  void floodOfDeniedKeysForgetsSomeAndHarmsNone() {
    Limit one = Limit.fixedWindow(1, Duration.ofDays(365));
    RateLimiter strict =
        Sluice.of(
                new TieredStore(
                    new InMemoryStore(clock, 100_000), BOUND, () -> clock.nowMicros() * 1_000))
            .limiter("strict", one);
    for (int i = 0; i < 50_000; i++) {
      assertThat(strict.tryAcquire("key" + i).allowed()).isTrue();
      assertThat(strict.tryAcquire("key" + i).allowed()).isFalse();
    }
    for (int i = 0; i < 50_000; i++) {
      assertThat(strict.tryAcquire("key" + i).allowed()).isFalse();
    }
  }

  @Test
  void boundHasBounds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TieredStore(store, Duration.ofSeconds(11)))
        .withMessage("denials held must be from 0 to 10 seconds, got PT11S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TieredStore(store, Duration.ofMillis(-1)))
        .withMessage("denials held must be from 0 to 10 seconds, got PT-0.001S");
  }

  @Test
  void closesAndReadsAsTheStore() {
    assertThat(tiered(BOUND)).hasToString("a store far away");
    sluice.close();
    assertThat(store.closed).isTrue();
  }
}
