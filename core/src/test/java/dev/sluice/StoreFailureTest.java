package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** A store that failed is not a denial: the policy says what it is. */
class StoreFailureTest {
  private static final Limit LIMIT = Limit.fixedWindow(10, Duration.ofDays(365));

  private final FailingStore store = new FailingStore(new InMemoryStore(new FakeClock(), 100));
  private final Sluice sluice = Sluice.of(store);
  private final List<String> heard = new ArrayList<>();

  private RateLimiter limiter(OnStoreFailure onFailure) {
    return sluice.limiter(
        Policy.named("p").limits(List.of(LIMIT)).nodes(3).onStoreFailure(onFailure).build());
  }

  @Test
  void allowedWhereThePolicyAllows() throws Exception {
    RateLimiter limiter = limiter(OnStoreFailure.ALLOW);
    Decision decision = limiter.tryAcquire("k");
    assertThat(decision).hasToString("p 'k' allowed, degraded");
    assertThat(decision.limits()).isEmpty();
    assertThat(limiter.tryAcquireAsync("k").get()).isEqualTo(decision);
    limiter.giveBack(decision);
    store.out = false;
    assertThat(limiter.tryAcquire("k").degraded()).isFalse();
  }

  @Test
  void storeFailureIsAnExceptionAndNotADenialWhereThePolicyDenies() {
    RateLimiter limiter = limiter(OnStoreFailure.DENY);
    assertThatExceptionOfType(StoreUnavailableException.class)
        .isThrownBy(() -> limiter.tryAcquire("k"))
        .withMessage("store: no answer within 20 ms")
        .extracting(StoreUnavailableException::reason)
        .isEqualTo("timeout");
    assertThatThrownBy(() -> limiter.tryAcquireAsync("k").get())
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> limiter.acquireAsync("k", 1, Duration.ZERO).get())
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void localShareDecidesWhereThePolicySaysSo() {
    RateLimiter limiter = limiter(OnStoreFailure.LOCAL);
    for (int left = 2; left >= 0; left--) {
      Decision decision = limiter.tryAcquire("k");
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.degraded()).isTrue();
      assertThat(decision.remaining()).isEqualTo(left);
    }
    Decision denied = limiter.tryAcquire("k");
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.degraded()).isTrue();
    Decision never = limiter.tryAcquire("other", 4);
    assertThat(never.neverPasses()).isTrue();
    assertThat(never.degraded()).isTrue();
    store.out = false;
    assertThat(limiter.tryAcquire("k").remaining()).isEqualTo(9);
  }

  @Test
  void whatTheLocalShareTookIsGivenBackThere() {
    RateLimiter limiter = limiter(OnStoreFailure.LOCAL);
    Decision taken = limiter.tryAcquire("k", 3);
    limiter.giveBack(taken);
    assertThat(limiter.peek("k").remaining()).isEqualTo(3);
  }

  @Test
  void shareFollowsAChangedPolicy() {
    RateLimiter limiter = limiter(OnStoreFailure.LOCAL);
    limiter.tryAcquire("k");
    sluice.limiter(
        Policy.named("p")
            .limits(List.of(Limit.fixedWindow(60, Duration.ofDays(365))))
            .nodes(3)
            .onStoreFailure(OnStoreFailure.LOCAL)
            .build());
    assertThat(limiter.tryAcquire("k").remaining()).isEqualTo(18);
  }

  @Test
  void listenersHearOfTheFailure() {
    RateLimiter limiter = limiter(OnStoreFailure.ALLOW);
    sluice.listener(
        new DecisionListener() {
          @Override
          public void decided(Policy policy, Decision decision, long nanos) {
            heard.add(decision.toString());
          }

          @Override
          public void storeFailed(Policy policy, StoreUnavailableException failure) {
            heard.add(policy.name() + " failed: " + failure.reason());
          }
        });
    limiter.tryAcquire("k");
    assertThat(heard).containsExactly("p failed: timeout", "p 'k' allowed, degraded");
    store.out = false;
    Decision taken = limiter.tryAcquire("k");
    store.out = true;
    heard.clear();
    limiter.giveBack(taken);
    assertThat(heard).containsExactly("p failed: timeout");
  }

  @Test
  void settlingWhileTheStoreIsOutFails() {
    RateLimiter limiter = limiter(OnStoreFailure.ALLOW);
    store.out = false;
    String id = limiter.reserve("k", 1, Duration.ZERO, Duration.ofMinutes(1)).id();
    store.out = true;
    assertThatExceptionOfType(StoreUnavailableException.class)
        .isThrownBy(() -> limiter.commit(id, 1));
  }

  private RateLimiter localShare(Limit limit) {
    return sluice.limiter(
        Policy.named("p")
            .limits(List.of(limit))
            .nodes(3)
            .onStoreFailure(OnStoreFailure.LOCAL)
            .build());
  }

  @Test
  void whatTheLocalShareHoldsIsReleasedThere() {
    RateLimiter limiter = localShare(Limit.concurrency(6));
    String first = limiter.tryAcquire("k").lease().orElseThrow();
    String second = limiter.tryAcquire("k").lease().orElseThrow();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    assertThat(sluice.release(first)).isTrue();
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    store.out = false;
    assertThat(sluice.release(second)).as("given out before the store was back").isTrue();
    assertThat(sluice.release(second)).isFalse();
    String shared = limiter.tryAcquire("k").lease().orElseThrow();
    assertThat(sluice.release(shared)).isTrue();
  }

  @Test
  void whatTheLocalShareReservedIsSettledThere() {
    RateLimiter limiter = localShare(LIMIT);
    Reservation reserved = limiter.reserve("k", 3, Duration.ZERO, Duration.ofMinutes(1));
    assertThat(limiter.peek("k").remaining()).isZero();
    assertThat(limiter.commit(reserved.id(), 1)).isTrue();
    assertThat(limiter.peek("k").remaining()).isEqualTo(2);
    assertThat(limiter.commit(reserved.id(), 2)).as("settled otherwise").isFalse();
  }

  @Test
  void slowBucketHasALocalShareToo() {
    Limit slow = Limit.tokenBucket(4, Limit.LONGEST_PERIOD).burst(36);
    RateLimiter limiter = localShare(slow);
    // A third of 4 permits is 1, at which a third of the burst would take more than a century.
    assertThat(limiter.tryAcquire("k", 9))
        .hasToString("p 'k' allowed by token-bucket, 0 of 9 left, degraded");
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void reservationThatTookNothingIsSettledAtOnce() throws Exception {
    RateLimiter limiter = limiter(OnStoreFailure.ALLOW);
    Reservation open = limiter.reserve("k", 1, Duration.ZERO, Duration.ofMinutes(1));
    assertThat(open.allowed()).isTrue();
    assertThat(limiter.commit(open.id(), 5)).isTrue();
    assertThat(limiter.cancel(open.id())).as("repeated").isTrue();
    assertThat(sluice.settleAsync(open.id(), 5).get()).isEqualTo(Settled.AS_ASKED);
  }

  @Test
  void shadowOfAPolicyThatDeniesLetsPass() throws Exception {
    RateLimiter limiter =
        sluice.limiter(
            Policy.named("p")
                .limits(List.of(LIMIT))
                .shadow(true)
                .onStoreFailure(OnStoreFailure.DENY)
                .build());
    assertThat(limiter.tryAcquire("k")).hasToString("p 'k' allowed, degraded");
    assertThat(limiter.tryAcquireAsync("k").get()).hasToString("p 'k' allowed, degraded");
  }

  @Test
  void costThatNeverPassesIsToldWithoutTheStore() throws Exception {
    RateLimiter limiter = limiter(OnStoreFailure.DENY);
    String never = "p 'k' denied by fixed-window, 10 of 10 left, never passes";
    assertThat(limiter.tryAcquire("k", 11)).hasToString(never);
    assertThat(limiter.tryAcquireAsync("k", 11).get()).hasToString(never);
  }

  @Test
  void strictestPolicyDecidesForChecksTakenTogether() {
    limiter(OnStoreFailure.LOCAL);
    sluice.limiter("open", LIMIT);
    List<Check> checks = List.of(new Check("p", "k"), new Check("open", "k"));
    for (int i = 0; i < 3; i++) {
      assertThat(sluice.tryAcquireTogether(checks))
          .allMatch(Decision::allowed)
          .allMatch(Decision::degraded);
    }
    assertThat(sluice.tryAcquireTogether(checks).get(0).allowed()).isFalse();
    List<Check> tooMuch = List.of(new Check("p", "k", 4), new Check("open", "k"));
    assertThat(sluice.tryAcquireTogether(tooMuch))
        .extracting(Decision::toString)
        .containsExactly(
            "p 'k' denied by fixed-window, 0 of 3 left, never passes, degraded",
            "open 'k' allowed by fixed-window, 7 of 10 left, degraded");
    sluice.limiter(
        Policy.named("closed").limits(List.of(LIMIT)).onStoreFailure(OnStoreFailure.DENY).build());
    assertThatExceptionOfType(StoreUnavailableException.class)
        .isThrownBy(
            () ->
                sluice.tryAcquireTogether(List.of(new Check("p", "k"), new Check("closed", "k"))));
    assertThat(sluice.tryAcquireTogether(List.of(new Check("open", "k"))))
        .allMatch(Decision::allowed);
  }

  @Test
  void defectIsNotTakenForAnOutage() {
    Sluice broken =
        Sluice.of(
            new Store() {
              @Override
              public Decision decide(Request request) {
                throw new IllegalStateException("a defect");
              }

              @Override
              public List<Decision> decideTogether(List<Request> requests) {
                throw new StoreUnavailableException("timeout", "late", null);
              }

              @Override
              public void close() {}
            });
    RateLimiter limiter = broken.limiter("p", LIMIT);
    assertThatThrownBy(() -> limiter.tryAcquire("k"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a defect");
    assertThat(broken.store().decideTogetherAsync(List.of())).isCompletedExceptionally();
  }
}
