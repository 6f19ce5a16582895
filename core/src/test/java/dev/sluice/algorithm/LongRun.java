package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import java.math.BigDecimal;
import java.math.MathContext;

/** A greedy client that asks again the very instant it was told to. */
final class LongRun {
  private static final int ROUNDS = 20_000;
  private static final BigDecimal EXACT_ENOUGH = new BigDecimal("0.9999");

  private LongRun() {}

  static void assertRate(Limit limit, long cost) {
    AlgorithmLaws.Subject subject = new AlgorithmLaws.Subject(limit);
    subject.limiter.force("k", limit.capacity());
    long start = subject.clock.nowMicros();
    long taken = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Decision decision = subject.limiter.tryAcquire("k", cost);
      if (decision.allowed()) {
        taken += cost;
      } else {
        subject.clock.advanceMicros(decision.retryAfterMicros());
      }
    }
    BigDecimal allowed =
        new BigDecimal(limit.permits())
            .multiply(new BigDecimal(subject.clock.nowMicros() - start))
            .divide(new BigDecimal(limit.perMicros()), MathContext.DECIMAL64);
    assertThat(new BigDecimal(taken))
        .as("%s, %d at a time", limit, cost)
        .isLessThanOrEqualTo(allowed)
        .isGreaterThanOrEqualTo(allowed.multiply(EXACT_ENOUGH));
  }
}
