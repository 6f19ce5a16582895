package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WaitingTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final FakeClock clock = new FakeClock();
  private final Sluice sluice = Sluice.of(new InMemoryStore(clock, 100));

  @Test
  void acquireReturnsAtOnceWhereThereIsRoom() throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(2, DAY));
    assertThat(limiter.acquire("k", DAY).allowed()).isTrue();
    assertThat(limiter.acquireAsync("k", 1, DAY).get().waitMicros()).isZero();
  }

  @Test
  void acquireThatWouldTakeTooLongIsDeniedAtOnceAndLeavesNoPlace() throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(1, DAY));
    limiter.tryAcquire("k");
    Decision denied = limiter.acquire("k", 1, DAY.minusNanos(1_000));
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.retryAfter()).isEqualTo(Duration.of(1, ChronoUnit.MICROS));
    assertThat(limiter.acquireAsync("k", 1, Duration.ofHours(1)).get().allowed()).isFalse();
    assertThat(limiter.peek("k").retryAfter()).isEqualTo(DAY);
  }

  @Test
  void acquireWaitsItsTurn() throws Exception {
    RateLimiter limiter =
        sluice.limiter("p", Limit.tokenBucket(100, Duration.ofSeconds(1)).burst(1));
    limiter.tryAcquire("k");
    long start = System.nanoTime();
    Decision first = limiter.acquire("k", Duration.ofSeconds(1));
    CompletableFuture<Decision> second = limiter.acquireAsync("k", 1, Duration.ofSeconds(1));
    assertThat(first.waitMicros()).isEqualTo(10_000);
    assertThat(second.get().waitMicros()).isEqualTo(20_000);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(30_000_000);
  }

  @Test
  void interruptedWaiterGivesItsPlaceBack() throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.slidingLog(1, DAY));
    limiter.tryAcquire("k");
    FutureTask<Decision> waiting = new FutureTask<>(() -> limiter.acquire("k", 1, DAY));
    Thread thread = new Thread(waiting);
    thread.start();
    await(() -> limiter.peek("k").retryAfter().compareTo(DAY) > 0);
    thread.interrupt();
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(waiting::get)
        .havingCause()
        .isInstanceOf(InterruptedException.class)
        .withMessage("interrupted while waiting for 'k' in policy 'p'");
    assertThat(limiter.peek("k").retryAfter()).isEqualTo(DAY);
  }

  @Test
  void cancelledWaiterGivesItsPlaceBack() {
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(1, DAY));
    limiter.tryAcquire("k");
    CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, DAY);
    assertThat(limiter.peek("k").retryAfter()).isEqualTo(DAY.multipliedBy(2));
    assertThat(waiting.cancel(false)).isTrue();
    assertThat(limiter.peek("k").retryAfter()).isEqualTo(DAY);
  }

  @Test
  void waiterThatTimesOutGivesItsPlaceBack() {
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(1, DAY));
    limiter.tryAcquire("k");
    CompletableFuture<Decision> waiting =
        limiter.acquireAsync("k", 1, DAY).orTimeout(1, TimeUnit.MILLISECONDS);
    await(waiting::isCompletedExceptionally);
    await(() -> limiter.peek("k").retryAfter().equals(DAY));
  }

  @Test
  void waiterThatLeftIsNotKeptUntilItsTurn() {
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(1, DAY));
    limiter.tryAcquire("k");
    WeakReference<CompletableFuture<Decision>> left = new WeakReference<>(cancelled(limiter));
    for (int i = 0; i < 100 && left.get() != null; i++) {
      System.gc();
    }
    assertThat(left.get()).isNull();
  }

  private static CompletableFuture<Decision> cancelled(RateLimiter limiter) {
    CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, DAY);
    waiting.cancel(false);
    return waiting;
  }

  @Test
  void placeIsGivenBackWhenTheCallerLeftBeforeTheAnswerCame() {
    LateStore late = new LateStore(new InMemoryStore(clock, 100));
    RateLimiter limiter = Sluice.of(late).limiter("p", Limit.fixedWindow(5, DAY));
    CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, DAY);
    waiting.cancel(false);
    late.answer();
    assertThat(limiter.peek("k").remaining()).isEqualTo(5);
  }

  @Test
  void heldPermitsAreWaitedFor() throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.concurrency(1).lease(DAY));
    String lease = limiter.tryAcquire("k").lease().orElseThrow();
    assertThat(limiter.acquire("k", Duration.ofMillis(1)).allowed()).isFalse();
    assertThat(limiter.acquireAsync("k", 1, Duration.ofMillis(1)).get().allowed()).isFalse();
    CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, DAY);
    assertThat(sluice.release(lease)).isTrue();
    Decision held = waiting.get();
    assertThat(held.allowed()).isTrue();
    assertThat(limiter.acquire("k", 2, DAY).neverPasses()).isTrue();
    sluice.release(held.lease().orElseThrow());
    assertThat(limiter.acquire("k", DAY).allowed()).isTrue();
  }

  @Test
  void listenersHearOnceOfWhoWaitsForHeldPermits() throws Exception {
    List<String> heard = new ArrayList<>();
    sluice.listener((policy, decision, nanos) -> heard.add(decision.toString()));
    RateLimiter limiter = sluice.limiter("p", Limit.concurrency(1).lease(DAY));
    limiter.tryAcquire("k");
    heard.clear();
    limiter.acquire("k", Duration.ofMillis(50));
    limiter.acquireAsync("k", 1, Duration.ofMillis(50)).get();
    String denied = "p 'k' denied by concurrency, 0 of 1 left, retry in PT24H";
    assertThat(heard).containsExactly(denied, denied);
  }

  @Test
  void whoHoldsAPermitWaitsHisTurnInTheQueueToo() throws Exception {
    RateLimiter limiter =
        sluice.limiter(
            "p", Limit.concurrency(9), Limit.leakyBucket(20, Duration.ofSeconds(1)).queue(9));
    limiter.tryAcquire("k");
    long start = System.nanoTime();
    Decision first = limiter.acquire("k", Duration.ofSeconds(1));
    assertThat(first.waitMicros()).isEqualTo(50_000);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(50_000_000);
    assertThat(limiter.acquireAsync("k", 1, Duration.ofSeconds(1)).get().waitMicros())
        .isEqualTo(100_000);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(150_000_000);
    assertThat(limiter.acquire("k", Duration.ofMillis(149)).allowed()).isFalse();
    assertThat(limiter.acquireAsync("k", 1, Duration.ofMillis(149)).get().allowed()).isFalse();
    assertThat(limiter.peek("k").limits().get(0).remaining()).as("held").isEqualTo(6);
  }

  @Test
  void interruptedInTheQueueHoldsNothing() {
    RateLimiter limiter =
        sluice.limiter("p", Limit.concurrency(9), Limit.leakyBucket(1, DAY).queue(9));
    limiter.tryAcquire("k");
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> limiter.acquire("k", DAY.multipliedBy(2)));
    assertThat(limiter.peek("k").limits().get(0).remaining()).isEqualTo(8);
    assertThat(limiter.peek("k").waitTime()).isEqualTo(DAY);
  }

  @Test
  void nobodyWaitsForPermitsThatWouldBeOfNoUse() throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.concurrency(9), Limit.slidingLog(1, DAY));
    limiter.tryAcquire("k");
    // Else the test would end by its timeout.
    assertThat(limiter.acquire("k", DAY.minusHours(1)).allowed()).isFalse();
    assertThat(limiter.acquireAsync("k", 1, DAY.minusHours(1)).get().allowed()).isFalse();
  }

  @Test
  void cancelledWaiterForHeldPermitsHoldsNothing() {
    LateStore late = new LateStore(new InMemoryStore(clock, 100));
    Sluice slow = Sluice.of(late);
    RateLimiter limiter = slow.limiter("p", Limit.concurrency(1).lease(DAY));
    CompletableFuture<Decision> waiting = limiter.acquireAsync("k", 1, DAY);
    waiting.cancel(false);
    late.answer();
    assertThat(limiter.peek("k").remaining()).isEqualTo(1);
  }

  @Test
  void interruptedWhileWaitingForHeldPermits() throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.concurrency(1).lease(DAY));
    limiter.tryAcquire("k");
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class)
        .isThrownBy(() -> limiter.acquire("k", DAY));
  }

  /** Asks again until it is so; the class has a time limit. */
  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }
}
