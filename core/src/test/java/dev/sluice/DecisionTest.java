package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class DecisionTest {
  private static final Limit BURST = Limit.tokenBucket(10, Duration.ofSeconds(1)).name("burst");
  private static final Limit DAILY = Limit.fixedWindow(1_000, Duration.ofDays(1)).name("daily");
  private static final Plan PLAN = Policy.of("p", BURST, DAILY).planFor("k");
  private static final Request REQUEST = Request.acquire(PLAN, "k", 2);

  private static Decision of(boolean allowed, LimitDecision... limits) {
    return Decision.of(REQUEST, allowed, limits, 7, 107, false);
  }

  private static LimitDecision says(Limit limit, long remaining, long retry, long reset) {
    return new LimitDecision(limit, retry == 0, remaining, retry, reset);
  }

  @Test
  void smallestShareBindsWhenAllowed() {
    Decision decision = of(true, says(BURST, 8, 0, 200), says(DAILY, 790, 0, 9_000));
    assertThat(decision.binding()).contains(DAILY);
    assertThat(decision.remaining()).isEqualTo(790);
    assertThat(decision.resetAfterMicros()).isEqualTo(9_000);
    assertThat(decision.resetAfter()).isEqualTo(Duration.of(9_000, ChronoUnit.MICROS));
    assertThat(of(true, says(BURST, 8, 0, 0), says(DAILY, 800, 0, 0)).binding()).contains(BURST);
  }

  @Test
  void longestWaitBindsWhenDenied() {
    Decision decision = of(false, says(BURST, 0, 100, 1), says(DAILY, 0, 300, 2));
    assertThat(decision.binding()).contains(DAILY);
    assertThat(decision.retryAfter()).isEqualTo(Duration.of(300, ChronoUnit.MICROS));
    assertThat(of(false, says(BURST, 0, 0, 1), says(DAILY, 9, 1, 2)).binding()).contains(DAILY);
    assertThat(of(false, says(BURST, 0, 1, 1), says(DAILY, 0, 0, 2)).binding()).contains(BURST);
    assertThat(of(false, says(BURST, 0, 5, 1), says(DAILY, 0, 5, 2)).binding()).contains(BURST);
  }

  @Test
  void figuresCanBeReadBack() {
    Decision decision = of(true, says(BURST, 8, 0, 200));
    assertThat(decision.policy()).isEqualTo("p");
    assertThat(decision.key()).isEqualTo("k");
    assertThat(decision.cost()).isEqualTo(2);
    assertThat(decision.waitMicros()).isEqualTo(7);
    assertThat(decision.waitTime()).isEqualTo(Duration.of(7, ChronoUnit.MICROS));
    assertThat(decision.passesAtMicros()).isEqualTo(107);
    assertThat(decision.limits()).containsExactly(says(BURST, 8, 0, 200));
    assertThat(decision.limits().get(0).resetAfter())
        .isEqualTo(Duration.of(200, ChronoUnit.MICROS));
    assertThat(says(BURST, 0, 5, 0).retryAfter()).isEqualTo(Duration.of(5, ChronoUnit.MICROS));
    assertThat(says(BURST, 0, Decision.NEVER, 0).retryAfter())
        .isEqualTo(ChronoUnit.FOREVER.getDuration());
  }

  @Test
  void answerOfOneLimitIsTheAnswerOfThatLimit() {
    Decision decision = Decision.ofOne(PLAN, "k", 2, false, 1, 100, 900, 55);
    assertThat(decision.limits()).containsExactly(says(BURST, 1, 100, 900));
    assertThat(decision.allowed()).isFalse();
    assertThat(decision.passesAtMicros()).isEqualTo(55);
    assertThat(decision)
        .isEqualTo(
            Decision.of(
                REQUEST, false, new LimitDecision[] {says(BURST, 1, 100, 900)}, 0, 0, false));
  }

  @Test
  void impossibleCostNamesTheLimitThatIsTooSmall() {
    Decision decision = Decision.impossible("p", "k", 500, PLAN.limits(), null);
    assertThat(decision.neverPasses()).isTrue();
    assertThat(decision.binding()).contains(BURST);
    assertThat(decision.remaining()).isEqualTo(10);
    assertThat(decision.limits()).extracting(LimitDecision::allowed).containsExactly(false, true);
    assertThat(decision).hasToString("p 'k' denied by burst, 10 of 10 left, never passes");
  }

  @Test
  void decisionsAreEqualByWhatTheySay() {
    Decision decision = of(true, says(BURST, 8, 0, 200));
    assertThat(decision).isEqualTo(of(true, says(BURST, 8, 0, 200)));
    assertThat(decision).hasSameHashCodeAs(of(true, says(BURST, 8, 0, 200)));
    assertThat(decision).isNotEqualTo(of(true, says(BURST, 7, 0, 200)));
    assertThat(decision).isNotEqualTo(of(false, says(BURST, 8, 0, 200)));
    assertThat(decision).isNotEqualTo(decision.forKey("other"));
    assertThat(decision).isNotEqualTo(decision.degraded(true));
    assertThat(decision).isNotEqualTo("p");
    assertThat(decision.degraded(false)).isSameAs(decision);
  }

  @Test
  void decisionPrintsItselfForLogs() {
    assertThat(of(true, says(BURST, 8, 0, 200)))
        .hasToString("p 'k' allowed by burst, 8 of 10 left, wait PT0.000007S");
    assertThat(Decision.of(REQUEST, true, new LimitDecision[] {says(BURST, 0, 0, 1)}, 0, 0, true))
        .hasToString("p 'k' allowed by burst, 0 of 10 left, forced");
    assertThat(of(false, says(BURST, 8, 250_000, 200)).degraded(true))
        .hasToString(
            "p 'k' denied by burst, 8 of 10 left, retry in PT0.25S, wait PT0.000007S, degraded");
  }

  @Test
  void planPrintsItselfForLogs() {
    assertThat(PLAN)
        .hasToString("p [burst: token-bucket 10 per 1s; daily: fixed-window 1000 per 1d]");
    assertThat(PLAN.capacity()).isEqualTo(10);
    assertThat(PLAN.concurrent()).isFalse();
  }
}
