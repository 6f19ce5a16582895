package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RateLimiterTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final FakeClock clock = new FakeClock();
  private final Sluice sluice = Sluice.of(new InMemoryStore(clock, 100));

  @Test
  void forcedRequestGivesBackNothingThatOthersTook() {
    RateLimiter limiter = sluice.limiter("p", Limit.slidingLog(10, DAY));
    limiter.tryAcquire("k", 8);
    Decision forced = limiter.force("k", 5);
    assertThat(forced.forced()).isTrue();
    limiter.giveBack(forced);
    assertThat(limiter.peek("k").remaining()).isZero();
    limiter.giveBack(limiter.force("other", 5));
    assertThat(limiter.peek("other").remaining()).as("it took all of it").isEqualTo(10);
  }

  @Test
  void costThatNeverPassesIsToldWhatIsLeft() throws Exception {
    RateLimiter limiter =
        sluice.limiter("p", Limit.fixedWindow(10, DAY), Limit.tokenBucket(100, DAY).name("wide"));
    limiter.tryAcquire("k", 4);
    Decision seen = limiter.peek("k");
    for (Decision never :
        List.of(
            limiter.tryAcquire("k", 11),
            limiter.tryAcquireAsync("k", 11).get(),
            limiter.peek("k", 11),
            sluice.tryAcquireTogether(List.of(new Check("p", "k", 11))).get(0),
            sluice
                .tryAcquireTogether(List.of(new Check("p", "other"), new Check("p", "k", 11)))
                .get(1))) {
      assertThat(never).hasToString("p 'k' denied by fixed-window, 6 of 10 left, never passes");
      assertThat(never.resetAfter()).isEqualTo(seen.limits().get(0).resetAfter());
      assertThat(never.limits())
          .extracting(LimitDecision::allowed, LimitDecision::remaining)
          .containsExactly(tuple(false, 6L), tuple(true, 96L));
    }
    assertThat(limiter.peek("k").remaining()).isEqualTo(6);
  }

  @Test
  void reservationsThatTookNothingAreSettledLikeOthers() {
    RateLimiter limiter =
        sluice.limiter(
            Policy.named("p")
                .limits(List.of(Limit.fixedWindow(1, DAY)))
                .key(KeyRule.unlimited("free"))
                .build());
    RateLimiter shadow =
        sluice.limiter(
            Policy.named("q").limits(List.of(Limit.fixedWindow(1, DAY))).shadow(true).build());
    shadow.tryAcquire("k");
    for (Reservation open :
        List.of(
            limiter.reserve("free", 9, Duration.ZERO, DAY),
            shadow.reserve("k", 1, Duration.ZERO, DAY))) {
      assertThat(open.id()).isEqualTo("none");
      assertThat(limiter.commit(open.id(), 3)).isTrue();
      assertThat(limiter.cancel(open.id())).isTrue();
    }
    limiter.tryAcquire("k");
    Reservation denied = limiter.reserve("k", 1, Duration.ZERO, DAY);
    assertThat(denied.id()).isEmpty();
    assertThat(limiter.cancel(denied.id())).isFalse();
    assertThat(limiter.commit(denied.id(), 1)).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.commit("nonsense", 1))
        .withMessage("reservation must be an id as it was given out, got 'nonsense'");
  }

  @Test
  void whoOnlyLooksIsNotHeardOf() {
    List<String> heard = new ArrayList<>();
    sluice.listener((policy, decision, nanos) -> heard.add(decision.toString()));
    RateLimiter limiter = sluice.limiter("p", Limit.fixedWindow(1, DAY));
    limiter.tryAcquire("k");
    heard.clear();
    limiter.peek("k");
    limiter.peekAsync("k", 2).join();
    limiter.refund("k", 1);
    limiter.reset("k");
    assertThat(heard).isEmpty();
    limiter.force("k", 2);
    assertThat(heard).hasSize(1);
  }

  @Test
  void nonsenseIsRefusedAndToldToListeners() {
    List<String> heard = new ArrayList<>();
    sluice.listener(
        new DecisionListener() {
          @Override
          public void decided(Policy policy, Decision decision, long nanos) {
            assertThat(nanos).isNotNegative();
            heard.add(decision.toString());
          }

          @Override
          public void invalid(Policy policy, IllegalArgumentException problem) {
            heard.add(policy.name() + ": " + problem.getMessage());
          }
        });
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(5, DAY));
    assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire(""));
    assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire("k", 0));
    assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquireAsync("k", -1));
    assertThatIllegalArgumentException().isThrownBy(() -> limiter.refund("k", 1L << 62));
    limiter.tryAcquire("k", 5);
    limiter.tryAcquireAsync("k", 6).join();
    assertThat(heard)
        .containsExactly(
            "p: key must not be empty",
            "p: cost must be from 1 to 1099511627776, got 0",
            "p: cost must be from 1 to 1099511627776, got -1",
            "p: cost must be from 1 to 1099511627776, got 4611686018427387904",
            "p 'k' allowed by token-bucket, 0 of 5 left",
            "p 'k' denied by token-bucket, 0 of 5 left, never passes");
  }

  @Test
  void timesAreChecked() {
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(5, DAY));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.acquire("k", Duration.ofSeconds(-1)))
        .withMessage("maxWait must be from 0 to 365 days, got PT-1S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.acquireAsync("k", 1, Duration.ofDays(366)))
        .withMessage("maxWait must be from 0 to 365 days, got PT8784H");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.reserve("k", 1, Duration.ZERO, Duration.ZERO))
        .withMessage("ttl must be positive, got PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.commit("nonsense", 1))
        .withMessage("reservation must be an id as it was given out, got 'nonsense'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.acquire("", DAY))
        .withMessage("key must not be empty");
  }

  @Test
  void asynchronousFormsAnswerAsTheOthers() throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.fixedWindow(10, DAY));
    assertThat(limiter.tryAcquireAsync("k").get().remaining()).isEqualTo(9);
    assertThat(limiter.peekAsync("k", 1).get().remaining()).isEqualTo(9);
    assertThat(limiter.forceAsync("k", 20).get().forced()).isTrue();
    assertThat(limiter.refundAsync("k", 4).get().remaining()).isEqualTo(4);
    Reservation reservation = limiter.reserveAsync("k", 3, Duration.ZERO, DAY).get();
    assertThat(reservation.decision().remaining()).isEqualTo(1);
    assertThat(reservation.decision().lease()).isEmpty();
    assertThat(limiter.commit(reservation.id(), 1)).isTrue();
    assertThat(limiter.resetAsync("k").get().remaining()).isEqualTo(10);
    assertThat(limiter.tryAcquireAsync("k", 11).get().neverPasses()).isTrue();
  }

  @Test
  void shadowPolicyLetsThroughAndSaysSo() {
    RateLimiter limiter =
        sluice.limiter(
            Policy.named("p").limits(List.of(Limit.fixedWindow(1, DAY))).shadow(true).build());
    assertThat(limiter.tryAcquire("k").shadow()).isFalse();
    Decision let = limiter.tryAcquire("k");
    assertThat(let).hasToString("p 'k' allowed by fixed-window, 0 of 1 left, shadow");
    assertThat(let.retryAfterMicros()).isZero();
    assertThat(let.limits().get(0).allowed()).isFalse();
    limiter.giveBack(let);
    assertThat(limiter.peek("k").remaining()).isZero();
    assertThat(limiter.tryAcquire("k", 2).shadow()).isTrue();
    assertThat(limiter.tryAcquireAsync("k", 2).join().shadow()).isTrue();
  }

  @Test
  void plansAndExceptionsByKey() throws Exception {
    RateLimiter limiter =
        sluice.limiter(
            Policy.named("p")
                .limits(List.of(Limit.fixedWindow(1, DAY)))
                .key(KeyRule.limits("pro:*", List.of(Limit.fixedWindow(100, DAY))))
                .key(KeyRule.deny("bad"))
                .key(KeyRule.unlimited("free"))
                .build());
    assertThat(limiter.tryAcquire("pro:1").remaining()).isEqualTo(99);
    assertThat(limiter.tryAcquire("k").remaining()).isZero();
    Decision refused = limiter.tryAcquire("bad");
    assertThat(refused).hasToString("p 'bad' denied, never passes");
    assertThat(refused.retryAfter()).isEqualTo(ChronoUnit.FOREVER.getDuration());
    assertThat(limiter.tryAcquireAsync("bad").get()).isEqualTo(refused);
    Decision free = limiter.tryAcquire("free", 1L << 40);
    assertThat(free).hasToString("p 'free' allowed");
    assertThat(free.binding()).isEmpty();
    limiter.giveBack(free);
    assertThat(limiter.acquire("free", DAY).allowed()).isTrue();
    Reservation reserved = limiter.reserve("free", 1, DAY, DAY);
    assertThat(reserved.allowed()).isTrue();
    assertThat(reserved.id()).isEqualTo("none");
  }

  @Test
  void leaseOfALongKeyWithAPlanOfItsOwnIsReleased() {
    RateLimiter limiter =
        sluice.limiter(
            Policy.named("p")
                .limits(List.of(Limit.concurrency(1).name("own")))
                .key(KeyRule.limits("pro:*", List.of(Limit.concurrency(2).name("pro"))))
                .build());
    String key = "pro:" + "x".repeat(500);
    Decision held = limiter.tryAcquire(key, 2);
    assertThat(held.key()).isEqualTo(key);
    assertThat(limiter.tryAcquire(key).allowed()).isFalse();
    assertThat(sluice.release(held.lease().orElseThrow())).isTrue();
    assertThat(limiter.tryAcquire(key, 2).allowed()).isTrue();
    sluice.limiter("p", Limit.concurrency(1).name("own"));
    assertThat(sluice.release(held.lease().orElseThrow())).isFalse();
  }

  /** One in three digests ends so. */
  @Test
  void leaseOfALongKeyWhoseDigestLooksLikeAnotherPlansIsReleased() {
    Policy.Builder policy = Policy.named("p").limits(List.of(Limit.concurrency(1).name("own")));
    for (String end : List.of("*0", "*1", "*2", "*3", "*4", "*5")) {
      policy.key(KeyRule.limits(end, List.of(Limit.concurrency(1).name("other"))));
    }
    RateLimiter limiter = sluice.limiter(policy.build());
    for (int i = 0; i < 50; i++) {
      Decision held = limiter.tryAcquire(i + "x".repeat(500));
      assertThat(sluice.release(held.lease().orElseThrow())).isTrue();
    }
  }

  @Test
  void longKeysAreKeptApart() {
    RateLimiter limiter = sluice.limiter("p", Limit.fixedWindow(1, DAY));
    String key = "x".repeat(1_000_000);
    assertThat(limiter.tryAcquire(key).allowed()).isTrue();
    assertThat(limiter.tryAcquire(key).allowed()).isFalse();
    assertThat(limiter.tryAcquire(key + "y").allowed()).isTrue();
    assertThat(limiter.tryAcquire("\0" + Keys.canonical(key).substring(1)).allowed()).isTrue();
    assertThat(limiter.tryAcquire("\ud800" + key).allowed()).isTrue();
    assertThat(limiter.tryAcquire("\ud801" + key).allowed()).isTrue();
  }

  @Test
  void limiterPrintsItsPolicy() {
    RateLimiter limiter = sluice.limiter("p", Limit.parse("1/s"));
    assertThat(limiter).hasToString(limiter.policy().toString());
  }
}
