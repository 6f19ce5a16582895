package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.CalendarUnit;
import dev.sluice.Decision;
import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules that change while they are in use keep what was used. */
public interface ReplacementContract extends StoreUnderTest {
  /** A limit of ten, the same with twenty, and the same with five. */
  static Stream<Arguments> limits() {
    Duration day = Duration.ofDays(1);
    return Stream.of(
        changed(n -> Limit.tokenBucket(n, day)),
        changed(n -> Limit.tokenBucket(n, day).refill(Limit.Refill.INTERVAL)),
        changed(n -> Limit.fixedWindow(n, day)),
        changed(n -> Limit.counter(n, day)),
        changed(n -> Limit.calendarWindow(n, CalendarUnit.YEAR, ZoneOffset.UTC)),
        changed(n -> Limit.slidingLog(n, day)),
        changed(n -> Limit.slidingWindow(n, day)),
        changed(n -> Limit.leakyBucket(n, day).queue(n - 1)),
        changed(n -> Limit.concurrency(n).lease(day)));
  }

  private static Arguments changed(java.util.function.LongFunction<Limit> limit) {
    return Arguments.of(limit.apply(10), limit.apply(20), limit.apply(5));
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.ReplacementContract#limits")
  default void changedLimitKeepsWhatWasUsed(Limit limit, Limit larger, Limit smaller) {
    withSluice(
        (sluice, clock) -> {
          RateLimiter limiter = sluice.limiter("p", limit);
          limiter.tryAcquire("k", 8);
          sluice.limiter("p", larger);
          assertThat(limiter.peek("k").remaining()).isEqualTo(12);
          sluice.limiter("p", smaller);
          Decision denied = limiter.tryAcquire("k");
          assertThat(denied.allowed()).isFalse();
          assertThat(denied.remaining()).isZero();
          sluice.limiter("p", limit);
          assertThat(limiter.tryAcquire("k", 2).allowed()).isTrue();
        });
  }

  /** What was used would take five million months to come back. */
  @Test
  default void limitThatTakesForEverToForgetKeepsWhatWasUsed() {
    withSluice(
        (sluice, clock) -> {
          RateLimiter limiter =
              sluice.limiter("p", Limit.tokenBucket(5_000_000, Duration.ofSeconds(1)));
          limiter.tryAcquire("k", 5_000_000);
          sluice.limiter("p", Limit.tokenBucket(1, Duration.ofDays(30)));
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          clock.advance(Duration.ofDays(365));
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
        });
  }

  /** Under the slow limit its debt is more than can be told; the denied one must not lessen it. */
  @Test
  default void limitThatIsPutBackFindsWhatWasUsed() {
    withSluice(
        (sluice, clock) -> {
          Limit fast = Limit.tokenBucket(500_000_000, Duration.ofSeconds(100));
          RateLimiter limiter = sluice.limiter("p", fast);
          limiter.tryAcquire("k", 500_000_000);
          sluice.limiter("p", Limit.tokenBucket(1, Duration.ofDays(30)));
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          assertThat(limiter.force("k", 1).remaining()).isZero();
          sluice.limiter("p", fast);
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          clock.advance(Duration.ofSeconds(1));
          assertThat(limiter.peek("k").remaining()).isEqualTo(5_000_000);
        });
  }

  @Test
  default void limitAddedToAPolicyLeavesTheOthersAsTheyAre() {
    withSluice(
        (sluice, clock) -> {
          Limit first = Limit.fixedWindow(10, Duration.ofHours(1)).name("hourly");
          RateLimiter limiter = sluice.limiter("p", first);
          limiter.tryAcquire("k", 8);
          sluice.limiter("p", Limit.tokenBucket(5, Duration.ofSeconds(1)).name("burst"), first);
          Decision decision = limiter.tryAcquire("k", 2);
          assertThat(decision.limits().get(0).remaining()).isEqualTo(3);
          assertThat(decision.limits().get(1).remaining()).isZero();
        });
  }

  @Test
  default void keyThatGetsALargerPlanKeepsWhatItUsed() {
    withSluice(
        (sluice, clock) -> {
          Limit small = Limit.fixedWindow(10, Duration.ofHours(1)).name("hourly");
          Limit large = Limit.fixedWindow(100, Duration.ofHours(1)).name("hourly");
          RateLimiter limiter = sluice.limiter("p", small);
          limiter.tryAcquire("k", 10);
          sluice.limiter(
              Policy.named("p")
                  .limits(List.of(small))
                  .key(KeyRule.limits("k", List.of(large)))
                  .build());
          assertThat(limiter.tryAcquire("k").remaining()).isEqualTo(89);
        });
  }

  @Test
  default void policiesDoNotShareTheirKeys() {
    withSluice(
        (sluice, clock) -> {
          Limit limit = Limit.fixedWindow(10, Duration.ofHours(1));
          sluice.limiter("p", limit).tryAcquire("k", 10);
          assertThat(sluice.limiter("q", limit).peek("k").remaining()).isEqualTo(10);
        });
  }
}
