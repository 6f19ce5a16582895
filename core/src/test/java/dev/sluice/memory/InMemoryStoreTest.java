package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.Decision;
import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.SampleLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class InMemoryStoreTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final FakeClock clock = FakeClock.steady();

  static List<Limit> limits() {
    List<Limit> limits = new ArrayList<>(SampleLimits.all());
    limits.add(SampleLimits.borrowing());
    limits.add(SampleLimits.concurrency());
    return limits;
  }

  @ParameterizedTest
  @MethodSource("limits")
  void idleKeysDisappearByThemselves(Limit limit) {
    InMemoryStore store = new InMemoryStore(clock, 10_000);
    RateLimiter limiter = Sluice.of(store).limiter("p", limit);
    for (int i = 0; i < 1_000; i++) {
      limiter.force("k" + i, 1);
    }
    assertThat(store.size()).isEqualTo(1_000);
    clock.advanceMicros(3 * limit.windowMicros() + 2 * limit.perMicros() + 1_000_001);
    // Nobody calls size: a few requests of somebody else are enough.
    for (int i = 0; i < 24_000; i++) {
      limiter.tryAcquire("busy" + i % 100);
    }
    assertThat(store).asString().matches("memory store, \\d{1,3} of at most 10000 keys");
    assertThat(store.size()).isBetween(1L, 101L);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void keysInUseAreNotForgotten(Limit limit) {
    InMemoryStore store = new InMemoryStore(clock, 10_000);
    RateLimiter limiter = Sluice.of(store).limiter("p", limit);
    for (int i = 0; i < 100; i++) {
      limiter.force("k" + i, limit.capacity());
    }
    for (int i = 0; i < 5_000; i++) {
      limiter.peek("other" + i);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(limiter.peek("k" + i).remaining()).isZero();
    }
    assertThat(store.size()).isEqualTo(100);
  }

  @Test
  void keyOfASlowPlanIsNotForgottenBecauseOthersAreFast() {
    Limit fast = Limit.tokenBucket(10, Duration.ofSeconds(1)).name("n");
    Limit slow = Limit.tokenBucket(1, Duration.ofDays(1)).name("n");
    InMemoryStore store = new InMemoryStore(clock, 10_000);
    RateLimiter limiter =
        Sluice.of(store)
            .limiter(
                Policy.named("p")
                    .limits(List.of(fast))
                    .key(KeyRule.limits("slow:*", List.of(slow)))
                    .build());
    for (int i = 0; i < 100; i++) {
      assertThat(limiter.tryAcquire("slow:" + i).allowed()).isTrue();
    }
    for (int round = 0; round < 10; round++) {
      clock.advance(HOUR);
      for (int i = 0; i < 2_000; i++) {
        limiter.tryAcquire("fast" + i);
      }
      store.size();
    }
    for (int i = 0; i < 100; i++) {
      assertThat(limiter.tryAcquire("slow:" + i).allowed()).isFalse();
    }
    clock.advance(Duration.ofDays(3));
    assertThat(store.size()).isZero();
  }

  @Test
  void replacedRuleKeepsItsKeysUntilTheyAreGone() {
    InMemoryStore store = new InMemoryStore(clock, 10_000);
    Sluice sluice = Sluice.of(store);
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(1, Duration.ofDays(1)));
    limiter.tryAcquire("k");
    sluice.limiter("p", Limit.tokenBucket(1, Duration.ofSeconds(1)));
    limiter.peek("k");
    clock.advance(HOUR);
    assertThat(store.size()).as("the rule before still needs it").isEqualTo(1);
    clock.advance(Duration.ofDays(2));
    assertThat(store.size()).isZero();
    limiter.tryAcquire("k");
    clock.advance(HOUR);
    assertThat(store.size()).as("the rule before is no more").isZero();
  }

  @Test
  void keyDeniedByASlowerRuleIsKeptForIt() {
    InMemoryStore store = new InMemoryStore(clock, 10_000);
    Sluice sluice = Sluice.of(store);
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(1, Duration.ofSeconds(1)));
    limiter.tryAcquire("k");
    limiter.tryAcquire("k");
    sluice.limiter("p", Limit.tokenBucket(1, HOUR));
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    clock.advance(Duration.ofSeconds(5));
    assertThat(store.size()).isEqualTo(1);
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
  }

  @Test
  void resetKeyIsGone() {
    InMemoryStore store = new InMemoryStore(clock, 10);
    RateLimiter limiter =
        Sluice.of(store).limiter("p", Limit.counter(5, HOUR), Limit.slidingLog(5, HOUR));
    limiter.tryAcquire("k");
    assertThat(store.size()).isEqualTo(2);
    limiter.reset("k");
    limiter.reset("never seen");
    limiter.refund("never seen", 1);
    assertThat(store.size()).isZero();
  }

  @Test
  void settledChargesOfIdleKeysAreForgotten() {
    InMemoryStore store = new InMemoryStore(clock, 10);
    RateLimiter limiter = Sluice.of(store).limiter("p", Limit.fixedWindow(5, HOUR));
    String id = limiter.reserve("k", 1, Duration.ZERO, HOUR).id();
    assertThat(limiter.commit(id, 1)).isTrue();
    clock.advance(Duration.ofHours(4));
    for (int i = 0; i < 10_000; i++) {
      limiter.peek("k" + i);
    }
    assertThat(limiter.commit(id, 1)).isFalse();
  }

  @Test
  void storeNeedsRoomForAKey() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new InMemoryStore(clock, 0))
        .withMessage("maxKeys must be at least 1, got 0");
  }

  @Test
  void overflowAfterALongIdleTimeIsNoLoss() {
    RateLimiter limiter =
        Sluice.of(new InMemoryStore(clock, 10))
            .limiter("p", Limit.tokenBucket(1L << 40, Duration.ofNanos(1_000)));
    limiter.tryAcquire("k", 1L << 40);
    clock.advance(Duration.ofDays(365 * 250));
    Decision decision = limiter.tryAcquire("k", 1);
    assertThat(decision.remaining()).isEqualTo((1L << 40) - 1);
  }

  @Test
  void whatWasUsedStaysUsedWhateverTheRateBecomes() {
    Sluice sluice = Sluice.of(new InMemoryStore(clock, 10));
    for (int i = 1; i <= 50; i++) {
      RateLimiter limiter =
          sluice.limiter("p", Limit.tokenBucket(100 + i, Duration.ofDays(7)).burst(100));
      assertThat(limiter.tryAcquire("k").remaining()).isEqualTo(100 - i);
    }
    assertThat(((InMemoryStore) sluice.store()).size()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "\0 begins with NUL", "long ", "\0"})
  void keyIsTheSameWhicheverWayItIsAskedAbout(String start) {
    String key = start.equals("long ") ? start.repeat(100) : start;
    Sluice sluice = Sluice.of(new InMemoryStore(clock, 10));
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(10, HOUR));
    assertThat(limiter.tryAcquire(key).remaining()).isEqualTo(9);
    assertThat(limiter.tryAcquireAsync(key).join().remaining()).isEqualTo(8);
    assertThat(limiter.force(key, 1).remaining()).isEqualTo(7);
    sluice.listener((policy, decision, nanos) -> {});
    assertThat(limiter.tryAcquire(key).remaining()).isEqualTo(6);
    assertThat(limiter.tryAcquire(key).key()).isEqualTo(key);
    assertThat(limiter.peek(key).remaining()).isEqualTo(5);
  }

  @Test
  void emptyKeyIsNotTheOneThatNewKeysShare() {
    RateLimiter limiter =
        Sluice.of(new InMemoryStore(clock, 1)).limiter("p", Limit.tokenBucket(10, HOUR));
    limiter.tryAcquire("known");
    assertThat(limiter.tryAcquire("newcomer").key()).isEqualTo("newcomer");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> limiter.tryAcquire(""))
        .withMessage("key must not be empty");
  }
}
