package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Several limits of one policy, and several checks in one call: all or nothing. */
public interface TogetherContract extends StoreUnderTest {
  /** The limits of the parameterized tests. */
  static List<Limit> limits() {
    List<Limit> limits = new ArrayList<>(SampleLimits.all());
    limits.add(SampleLimits.concurrency());
    return limits;
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.TogetherContract#limits")
  default void limitIsNotChargedWhenAnotherDenies(Limit limit) {
    withSluice(
        (sluice, clock) -> {
          Limit strict = Limit.slidingLog(1, Duration.ofDays(90)).name("strict");
          for (List<Limit> order : List.of(List.of(limit, strict), List.of(strict, limit))) {
            RateLimiter limiter = sluice.limiter("p", order.toArray(Limit[]::new));
            limiter.tryAcquire("k");
            clock.advanceMicros(limit.windowMicros());
            limiter.tryAcquire("k");
            List<LimitDecision> before = limiter.peek("k").limits();
            Decision denied = limiter.tryAcquire("k");
            assertThat(denied.allowed()).isFalse();
            assertThat(denied.binding().orElseThrow().name()).isEqualTo("strict");
            assertThat(limiter.peek("k").limits()).isEqualTo(before);
            limiter.reset("k");
          }
        });
  }

  @Test
  default void bindingLimitIsTheOneWithTheLongestWaitOrTheSmallestShare() {
    withSluice(
        (sluice, clock) -> {
          RateLimiter limiter =
              sluice.limiter(
                  "p",
                  Limit.tokenBucket(10, Duration.ofSeconds(1)).name("burst"),
                  Limit.fixedWindow(12, Duration.ofDays(1)).name("daily"));
          assertThat(limiter.tryAcquire("k", 5).binding().orElseThrow().name()).isEqualTo("burst");
          clock.advance(Duration.ofSeconds(1));
          assertThat(limiter.tryAcquire("k", 5).binding().orElseThrow().name()).isEqualTo("daily");
          Decision denied = limiter.tryAcquire("k", 7);
          assertThat(denied.binding().orElseThrow().name()).isEqualTo("daily");
          assertThat(denied.retryAfter()).isGreaterThan(Duration.ofHours(1));
          assertThat(denied.limits().get(0).allowed()).isFalse();
        });
  }

  private static Check check(String key, long cost) {
    return new Check("p", key, cost);
  }

  private static boolean allAllowed(List<Decision> decisions) {
    return decisions.stream().allMatch(Decision::allowed);
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.TogetherContract#limits")
  default void checkIsNotChargedWhenAnotherIsDenied(Limit limit) {
    withSluice(
        (sluice, clock) -> {
          RateLimiter limiter = sluice.limiter("p", limit);
          sluice.limiter("strict", Limit.slidingLog(1, Duration.ofDays(90))).tryAcquire("k");
          limiter.tryAcquire("a");
          List<LimitDecision> before = limiter.peek("a").limits();
          List<LimitDecision> fresh = limiter.peek("b").limits();
          List<Decision> decisions =
              sluice.tryAcquireTogether(
                  List.of(check("a", 1), check("b", 1), new Check("strict", "k"), check("c", 1)));
          assertThat(decisions).extracting(Decision::key).containsExactly("a", "b", "k", "c");
          assertThat(decisions.get(2).allowed()).isFalse();
          assertThat(decisions).allMatch(decision -> decision.lease().isEmpty());
          assertThat(limiter.peek("a").limits()).isEqualTo(before);
          assertThat(limiter.peek("b").limits()).isEqualTo(fresh);
          assertThat(limiter.peek("c").limits()).isEqualTo(fresh);
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.TogetherContract#limits")
  default void oneKeyTwiceInACallIsChargedTwiceOrNotAtAll(Limit limit) {
    withSluice(
        (sluice, clock) -> {
          RateLimiter limiter = sluice.limiter("p", limit);
          if (limit.initial() < limit.capacity()) {
            limiter.tryAcquire("k");
            clock.advanceMicros(limit.windowMicros());
          }
          List<LimitDecision> before = limiter.peek("k").limits();
          long most = limiter.peek("k").remaining();
          assertThat(allAllowed(together(sluice, most, 1))).isFalse();
          assertThat(limiter.peek("k").limits()).isEqualTo(before);
          if (most > 1) {
            assertThat(allAllowed(together(sluice, most - 1, 1))).isTrue();
            assertThat(limiter.peek("k").remaining()).isZero();
          }
        });
  }

  private static List<Decision> together(Sluice sluice, long first, long second) {
    return sluice.tryAcquireTogether(List.of(check("k", first), check("k", second)));
  }

  @Test
  default void heldPermitsTakenTogetherAreReleasedOneByOne() {
    withSluice(
        (sluice, clock) -> {
          RateLimiter limiter = sluice.limiter("p", SampleLimits.concurrency());
          List<Decision> decisions =
              sluice.tryAcquireTogether(List.of(check("a", 2), check("b", 5), check("a", 3)));
          assertThat(allAllowed(decisions)).isTrue();
          assertThat(limiter.peek("a").remaining()).isZero();
          assertThat(sluice.release(decisions.get(0).lease().orElseThrow())).isTrue();
          assertThat(limiter.peek("a").remaining()).isEqualTo(2);
          assertThat(limiter.peek("b").remaining()).isZero();
        });
  }

  @Test
  default void impossibleCheckStopsTheOthers() {
    withSluice(
        (sluice, clock) -> {
          RateLimiter limiter = sluice.limiter("p", Limit.slidingLog(10, Duration.ofSeconds(1)));
          List<Decision> decisions =
              sluice.tryAcquireTogether(List.of(check("a", 1), check("b", 11)));
          assertThat(decisions).extracting(Decision::allowed).containsExactly(true, false);
          assertThat(decisions.get(1).neverPasses()).isTrue();
          assertThat(limiter.peek("a").remaining()).isEqualTo(10);
        });
  }
}
