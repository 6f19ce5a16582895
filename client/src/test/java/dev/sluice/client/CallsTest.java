package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final FakeClock clock = new FakeClock();
  private final Sluice sluice = Sluice.of(InMemoryStore.keepingAll(clock));
  private final RateLimiter limiter = sluice.limiter("payments", Limit.slidingLog(2, HOUR));
  private final Calls calls = Calls.of(sluice, "payments", "pg1");

  /** Makes a call that takes a minute of the store's time, and any time of this machine's. */
  private Decision afterACallOfAMinute(Calls slack) {
    Turn turn = Turns.of(slack).next().join();
    clock.advance(MINUTE);
    turn.end();
    return limiter.peek("pg1");
  }

  @Test
  void aLateCallCountsFromItsEnd() {
    Decision after = afterACallOfAMinute(calls.slack(Duration.ofNanos(1)));
    assertThat(after.remaining()).isEqualTo(1);
    assertThat(after.resetAfter()).isEqualTo(HOUR);
  }

  @Test
  void aCallWithinTheSlackCountsFromItsTurn() {
    Decision after = afterACallOfAMinute(calls.slack(HOUR));
    assertThat(after.remaining()).isEqualTo(1);
    assertThat(after.resetAfter()).isEqualTo(HOUR.minus(MINUTE));
    assertThat(afterACallOfAMinute(calls).resetAfter()).isEqualTo(HOUR.minus(MINUTE));
  }

  @Test
  void aTurnIsSettledOnce() {
    Turn turn = Turns.of(calls.slack(Duration.ofNanos(1))).next().join();
    turn.giveBack();
    turn.giveBack();
    turn.end();
    assertThat(limiter.peek("pg1").remaining()).isEqualTo(2);
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    assertThatThrownBy(() -> Calls.of(sluice, "nope", "k"))
        .hasMessage("calls: unknown policy 'nope'");
    assertThatThrownBy(() -> calls.maxWait(Duration.ofSeconds(-1)))
        .hasMessage("calls of policy 'payments': maxWait must be from 0 to 365 days, got PT-1S");
    assertThatThrownBy(() -> calls.maxWait(Duration.ofDays(365).plusNanos(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "calls of policy 'payments': maxWait must be from 0 to 365 days, got"
                + " PT8760H0.000000001S");
    assertThatThrownBy(() -> calls.maxWait(FOREVER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "calls of policy 'payments': maxWait must be from 0 to 365 days, got " + FOREVER);
    assertThatThrownBy(() -> Calls.of(sluice, "payments", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("calls of policy 'payments': key must not be empty");
    assertThatThrownBy(() -> calls.retries(-1))
        .hasMessage("calls of policy 'payments': retries must be at least 0, got -1");
    assertThatThrownBy(() -> calls.slack(Duration.ZERO))
        .hasMessage(
            "calls of policy 'payments': slack must be positive and at most 365 days, got PT0S");
    assertThatThrownBy(() -> calls.slack(FOREVER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "calls of policy 'payments': slack must be positive and at most 365 days, got "
                + FOREVER);
    sluice.limiter("bucket", Limit.parse("1/s"));
    assertThatThrownBy(() -> Calls.of(sluice, "bucket", "pg1").slack(MINUTE))
        .hasMessage("calls of policy 'bucket': slack needs a sliding-log, got [token-bucket]");
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, (1L << 40) + 1, Long.MAX_VALUE})
  void aCostThatNoLimitKnowsIsRefused(long cost) {
    assertThatThrownBy(() -> calls.cost(cost))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "calls of policy 'payments': cost must be from 1 to 1099511627776, got " + cost);
  }

  @Test
  void theLeastAndTheMostAreAccepted() throws Exception {
    Turn first = Turns.of(calls.maxWait(Duration.ZERO).cost(1)).await();
    first.giveBack();
    Turn second = Turns.of(calls.maxWait(Duration.ofDays(365)).cost(2)).next().join();
    assertThat(limiter.peek("pg1").remaining()).isEqualTo(0);
    second.giveBack();
    assertThatThrownBy(() -> Turns.of(calls.cost(1L << 40)).await())
        .isInstanceOf(LimitExceededException.class);
  }
}
