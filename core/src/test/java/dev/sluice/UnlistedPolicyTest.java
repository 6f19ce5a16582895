package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnlistedPolicyTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final Sluice sluice = Sluice.inMemory();

  @Test
  void unlistedPolicyIsFoundByNobody() {
    RateLimiter limiter = sluice.unlisted(Policy.of("request", Limit.fixedWindow(1, HOUR)));

    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    assertThat(sluice.limiter("request")).isEmpty();
    assertThat(sluice.policies()).isEmpty();
  }

  @Test
  void unlistedPoliciesOfOneNameShareWhatWasUsed() {
    RateLimiter two = sluice.unlisted(Policy.of("request", Limit.tokenBucket(2, HOUR)));
    RateLimiter three = sluice.unlisted(Policy.of("request", Limit.tokenBucket(3, HOUR)));

    assertThat(two.tryAcquire("k").remaining()).isEqualTo(1);
    assertThat(three.tryAcquire("k").remaining()).isEqualTo(1);
  }

  @Test
  void unlistedPoliciesAreDecidedTogetherAndADenialChargesNothing() {
    Policy wide = Policy.of("wide", Limit.tokenBucket(5, HOUR));
    Policy narrow = Policy.of("narrow", Limit.tokenBucket(1, HOUR));
    List<PolicyCheck> both =
        List.of(new PolicyCheck(wide, "a", 1), new PolicyCheck(narrow, "b", 1));

    assertThat(sluice.decideTogetherAsync(both).join()).allMatch(Decision::allowed);
    assertThat(sluice.decideTogetherAsync(both).join())
        .extracting(Decision::allowed)
        .containsExactly(true, false);
    assertThat(sluice.unlisted(wide).peek("a").remaining()).isEqualTo(4);
  }

  @Test
  void unlistedLimiterSettlesWhatItReserved() {
    RateLimiter limiter = sluice.unlisted(Policy.of("request", Limit.fixedWindow(5, HOUR)));
    Reservation reserved = limiter.reserve("k", 5, Duration.ZERO, HOUR);

    assertThat(sluice.commit(reserved.id(), 1)).as("no such policy is in force").isFalse();
    assertThat(limiter.commit(reserved.id(), 1)).isTrue();
    assertThat(limiter.peek("k").remaining()).isEqualTo(4);
  }

  @Test
  void unlistedLimiterGivesBackWhatItHolds() {
    RateLimiter limiter = sluice.unlisted(Policy.of("request", Limit.concurrency(1)));
    Decision held = limiter.tryAcquire("k");

    limiter.giveBack(held);
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
  }
}
