package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class YieldingTest {
  private static final long SHORT_NANOS = 500;

  private long nanos = Long.MAX_VALUE - 1_000;
  private long yieldNanos = SHORT_NANOS;
  private int yields;
  private final Yielding yielding = new Yielding(() -> nanos, this::letOthersRun);

  private void letOthersRun() {
    yields++;
    nanos += yieldNanos;
  }

  /** How often somebody yields whose answer is there after so many times. */
  private int yieldsUntil(int answered) {
    int before = yields;
    yielding.until(() -> yields - before >= answered);
    return yields - before;
  }

  private int yieldsOfALane() {
    int before = yields;
    yielding.once();
    return yields - before;
  }

  private void earn(int answers) {
    for (int i = 0; i < answers; i++) {
      assertThat(yieldsUntil(1)).isEqualTo(1);
    }
  }

  /** One who meets a program that does not wait for anything. */
  private void yieldTooLong() {
    yieldNanos = Yielding.TOO_LONG_NANOS;
    assertThat(yieldsUntil(Integer.MAX_VALUE)).isEqualTo(1);
    yieldNanos = SHORT_NANOS;
  }

  @Test
  void callerYieldsUntilHisAnswerIsThere() {
    assertThat(yieldsUntil(0)).isZero();
    assertThat(yieldsUntil(7)).isEqualTo(7);
  }

  @Test
  void laneYieldsOnce() {
    assertThat(yieldsOfALane()).isEqualTo(1);
  }

  @Test
  void whereAnswersTakeLongHardlyAnybodyYields() {
    int all = 0;
    for (int decisions = 0; decisions < 10 * Yielding.LARGEST_DEBT; decisions++) {
      all += yieldsUntil(Integer.MAX_VALUE);
    }
    // At once, after 256, 512 and 1024 decisions, and then after 2048 each.
    assertThat(all).isEqualTo((1 + 3 + 9) * Yielding.MOST_YIELDS);
    assertThat(yieldsOfALane()).isZero();
  }

  @Test
  void oneAnswerThatTakesLongIsMadeUpForByOthers() {
    earn(10);
    assertThat(yieldsUntil(Integer.MAX_VALUE)).isEqualTo(Yielding.MOST_YIELDS);
    assertThat(yieldsUntil(1)).isEqualTo(1);
    assertThat(yieldsOfALane()).isEqualTo(1);
  }

  /** How many callers sleep until one yields again. */
  private int sleepers() {
    int sleepers = 0;
    while (yieldsUntil(1) == 0) {
      sleepers++;
    }
    assertThat(yieldsOfALane()).isEqualTo(1);
    return sleepers + 1;
  }

  @Test
  void nobodyYieldsToABusyProgramAgainSoon() {
    for (int debt = Yielding.LEAST_DEBT; debt < Yielding.LARGEST_DEBT; debt *= 2) {
      yieldTooLong();
      assertThat(sleepers()).isEqualTo(debt);
    }
    yieldTooLong();
    assertThat(sleepers()).isEqualTo(Yielding.LARGEST_DEBT);
    yieldTooLong();
    assertThat(sleepers()).isEqualTo(Yielding.LARGEST_DEBT);
  }

  @Test
  void busyProgramOfLongAgoIsForgotten() {
    for (int times = 0; times < 10; times++) {
      yieldTooLong();
      int unused = sleepers();
    }
    earn(Yielding.MOST_GAINED);
    for (int times = 0; times <= Yielding.MOST_GAINED / Yielding.PRICE_TOO_LONG; times++) {
      yieldTooLong();
    }
    assertThat(sleepers()).isEqualTo(Yielding.LEAST_DEBT);
  }

  @Test
  void laneThatMeetsABusyProgramTellsTheCallers() {
    yieldNanos = Yielding.TOO_LONG_NANOS;
    assertThat(yieldsOfALane()).isEqualTo(1);
    assertThat(yieldsUntil(1)).isZero();
  }

  @Test
  void busyProgramIsNoticedAfterAMillisecond() {
    yieldNanos = 999_999;
    assertThat(yieldsUntil(2)).isEqualTo(2);
    yieldNanos = 1_000_000;
    assertThat(yieldsUntil(2)).isEqualTo(1);
  }

  /** As where all callers are asynchronous, or on virtual threads. */
  @Test
  void lanesAlonePayForABusyProgramToo() {
    for (int debt = Yielding.LEAST_DEBT; debt <= Yielding.LARGEST_DEBT; debt *= 2) {
      yieldNanos = Yielding.TOO_LONG_NANOS;
      assertThat(yieldsOfALane()).isEqualTo(1);
      yieldNanos = SHORT_NANOS;
      for (int paid = 1; paid < debt; paid++) {
        assertThat(yieldsOfALane()).isZero();
      }
      assertThat(yieldsOfALane()).isEqualTo(1);
    }
  }

  @Test
  void busyProgramThatComesNowAndThenIsMadeUpFor() {
    for (int times = 0; times < 20; times++) {
      earn(Yielding.PRICE_TOO_LONG);
      yieldTooLong();
    }
    assertThat(yieldsUntil(1)).isEqualTo(1);
  }

  @Test
  void noMoreIsEarnedThanAFewBusyProgramsCost() {
    earn(10 * Yielding.MOST_GAINED);
    for (int times = 0; times < Yielding.MOST_GAINED / Yielding.PRICE_TOO_LONG; times++) {
      yieldTooLong();
    }
    yieldTooLong();
    assertThat(yieldsUntil(1)).isZero();
  }

  @Test
  void busyProgramThatManyMeetCountsOnce() {
    earn(Yielding.PRICE_TOO_LONG);
    long met = nanos;
    yieldTooLong();
    for (int others = 0; others < 31; others++) {
      // They began to yield when the first did.
      nanos = met;
      yieldTooLong();
    }
    assertThat(yieldsUntil(1)).isEqualTo(1);
  }
}
