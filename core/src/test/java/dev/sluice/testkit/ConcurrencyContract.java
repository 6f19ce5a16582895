package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Reservation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Permits that are held until they are released or their lease ends. */
public interface ConcurrencyContract extends StoreUnderTest {
  @Test
  default void permitsAreHeldUntilReleased() {
    walk(
        SampleLimits.concurrency(),
        """
           0  1 as a    | yes  4    0  500
         100  4 as b    | yes  0    0  500
           0  1         | no   0  400  500    # the lease of a ends first
           0  release b | yes
           0  release b | no                   # safe to repeat
           0  peek 1    | yes  4    0  400
           0  4         | yes  0    0  500""");
  }

  @Test
  default void crashedHolderFreesItsPermitsWhenItsLeaseEnds() {
    walk(
        SampleLimits.concurrency(),
        """
           0    5 as a    | yes  0    0    500
         499.999  1       | no   0    0.001  0.001
           0.001  5       | yes  0    0    500
           0    release a | no""");
  }

  @Test
  default void clockStepBackNeverHoldsLongerThanTwoLeases() {
    walk(
        SampleLimits.concurrency(),
        """
           0     5 as a | yes  0    0   500
        -400     1      | no   0  900   900   # still the old lease
       -1000     1      | no   0  500   500   # too far back: one lease from now
         500     5      | yes  0    0   500""");
  }

  @Test
  default void releaseAfterTheClockSteppedFarBackFrees() {
    walk(
        SampleLimits.concurrency(),
        """
           0     5 as a    | yes  0  0  500
       -5000     release a | yes
           0     release a | no
           0     5         | yes  0  0  500""");
  }

  @Test
  default void freeKeySaysThatItHasNothingToReset() {
    walk(SampleLimits.concurrency(), "0 peek 1 | yes 5 0 0");
  }

  @Test
  default void reservedPermitsAreHeldUntilSettled() {
    withLimiter(
        SampleLimits.concurrency(),
        (limiter, clock) -> {
          Reservation reservation = limiter.reserve("k", 5, Duration.ZERO, Duration.ofMillis(200));
          assertThat(reservation.decision().lease()).contains(reservation.id());
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
          assertThat(limiter.commit(reservation.id(), 5)).isTrue();
          assertThat(limiter.peek("k").remaining()).isEqualTo(5);
          limiter.reserve("k", 5, Duration.ZERO, Duration.ofMillis(200));
          clock.advance(Duration.ofMillis(200));
          assertThat(limiter.tryAcquire("k", 5).allowed()).isTrue();
        });
  }

  @Test
  default void permitOfOneWhoWaitsIsHeldUntilALeaseAfterItPasses() {
    withSluice(
        (sluice, clock) -> {
          Duration second = Duration.ofSeconds(1);
          Duration minute = Duration.ofMinutes(1);
          RateLimiter limiter =
              sluice.limiter(
                  "p",
                  Limit.concurrency(1).lease(second),
                  Limit.slidingLog(1, second.multipliedBy(10)));
          sluice.release(limiter.tryAcquire("k").lease().orElseThrow());
          Decision waits = limiter.reserve("k", 1, minute, minute).decision();
          assertThat(waits.waitTime()).isEqualTo(second.multipliedBy(10));
          clock.advance(second.multipliedBy(5));
          Decision denied = limiter.reserve("k", 1, minute, minute).decision();
          assertThat(denied.allowed()).isFalse();
          assertThat(denied.retryAfter()).isEqualTo(second.multipliedBy(6));
        });
  }

  @Test
  default void clockStepBackFreesTheHoldOfOneWhoWaits() {
    withSluice(
        (sluice, clock) -> {
          Duration second = Duration.ofSeconds(1);
          RateLimiter limiter =
              sluice.limiter(
                  "p",
                  Limit.concurrency(2).lease(second),
                  Limit.leakyBucket(1, second.multipliedBy(10)).queue(9));
          limiter.tryAcquire("k");
          assertThat(limiter.tryAcquire("k").waitTime()).isEqualTo(second.multipliedBy(10));
          clock.advance(second.multipliedBy(-2));
          assertThat(limiter.tryAcquire("k").retryAfter()).isEqualTo(second);
        });
  }

  @Test
  default void heldAndRatedAreTakenTogetherOrNotAtAll() {
    withSluice(
        (sluice, clock) -> {
          RateLimiter limiter =
              sluice.limiter(
                  "p", Limit.concurrency(2), Limit.tokenBucket(3, Duration.ofMinutes(1)));
          Decision first = limiter.tryAcquire("k");
          Decision second = limiter.tryAcquire("k");
          Decision third = limiter.tryAcquire("k");
          assertThat(third.allowed()).isFalse();
          assertThat(third.binding().orElseThrow().name()).isEqualTo("concurrency");
          assertThat(third.lease()).isEmpty();
          assertThat(sluice.release(first.lease().orElseThrow())).isTrue();
          assertThat(limiter.tryAcquire("k").allowed()).isTrue();
          assertThat(sluice.release(second.lease().orElseThrow())).isTrue();
          Decision fifth = limiter.tryAcquire("k");
          assertThat(fifth.allowed()).isFalse();
          assertThat(fifth.binding().orElseThrow().name()).isEqualTo("token-bucket");
          assertThat(limiter.peek("k").limits().get(0).remaining()).isEqualTo(1);
        });
  }
}
