package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.algorithm.Cell;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RulesTest {
  private static final long DAY = 86_400_000_000L;
  private static final Cell CHARGED = new Cell(0, 1);

  private final Limit fast = Limit.tokenBucket(1, Duration.ofSeconds(1));
  private final Limit slow = Limit.tokenBucket(1, Duration.ofDays(1));
  private final Rules rules = new Rules(slow);

  @Test
  void keyIsKeptForAPeriodOfGrace() {
    assertThat(rules.forgets(CHARGED, 2 * DAY - 1)).isFalse();
    assertThat(rules.forgets(CHARGED, 2 * DAY)).isTrue();
  }

  @Test
  void limitUsedBeforeStillKeepsItsKeys() {
    rules.use(fast, 0);
    assertThat(rules.forgets(CHARGED, 2 * DAY - 1)).isFalse();
    assertThat(rules.forgets(CHARGED, 2 * DAY)).isTrue();
  }

  @Test
  void limitNotUsedForLongerThanAnyWaitKeepsNoKeys() {
    rules.use(fast, 0);
    rules.use(Limit.tokenBucket(2, Duration.ofSeconds(1)), 368 * DAY + 1);
    assertThat(rules.forgets(new Cell(368 * DAY, 1), 368 * DAY + 2_000_000)).isTrue();
  }

  @Test
  void equalLimitTakesThePlaceOfTheOneBefore() {
    rules.use(Limit.tokenBucket(1, Duration.ofDays(1)), 0);
    rules.use(fast, 0);
    rules.nobodyIsLeft();
    assertThat(rules.forgets(CHARGED, 2_000_000)).isTrue();
  }

  @Test
  void anyNumberOfLimitsIsRememberedByTheSlowest() {
    for (int i = 1; i <= 1_000; i++) {
      rules.use(Limit.tokenBucket(i, Duration.ofSeconds(1)), 0);
      assertThat(rules.size()).isLessThan(20);
    }
    assertThat(rules.forgets(CHARGED, 2 * DAY - 1)).isFalse();
    assertThat(rules.forgets(CHARGED, 2 * DAY)).isTrue();
  }
}
