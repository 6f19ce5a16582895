package dev.sluice.server.resp;

import static io.netty.channel.SelectStrategy.SELECT;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LastLookTest {
  private static final boolean HAS_TASKS = true;
  private static final boolean HAS_NONE = false;
  private static final long SHORT_NANOS = LastLook.TOO_LONG_NANOS - 1;

  private long nanos = Long.MAX_VALUE - 1_000;
  private long yieldNanos = SHORT_NANOS;
  private int yields;
  private int ready;
  private int readyAfterYield;
  private final LastLook look = new LastLook(() -> nanos, this::letOthersRun);

  private void letOthersRun() {
    yields++;
    nanos += yieldNanos;
    ready = readyAfterYield;
  }

  private int next(boolean hasTasks) throws Exception {
    return look.calculateStrategy(() -> ready, hasTasks);
  }

  /** Whether a loop with nothing to do lets others run before it sleeps. */
  private boolean yields() throws Exception {
    int before = yields;
    assertThat(next(HAS_NONE)).isEqualTo(SELECT);
    return yields > before;
  }

  /** How often a loop sleeps at once until it yields again, for a short time. */
  private int sleepsUntilItYields() throws Exception {
    yieldNanos = SHORT_NANOS;
    int sleeps = 0;
    while (!yields()) {
      sleeps++;
    }
    return sleeps;
  }

  @Test
  void whatOthersMakeReadyIsDoneWithoutSleep() throws Exception {
    readyAfterYield = 3;
    assertThat(next(HAS_NONE)).isEqualTo(3);
    assertThat(yields).isEqualTo(1);
  }

  @Test
  void whereNothingComesItSleepsAfterOneYield() throws Exception {
    assertThat(next(HAS_NONE)).isEqualTo(SELECT);
    assertThat(yields).isEqualTo(1);
  }

  @Test
  void tasksWaitForNobody() throws Exception {
    ready = 2;
    assertThat(next(HAS_TASKS)).isEqualTo(2);
    ready = 0;
    assertThat(next(HAS_TASKS)).isZero();
    assertThat(yields).isZero();
  }

  @Test
  void oneWhoMeetsABusyProgramSleepsAtOnceForAWhile() throws Exception {
    yieldNanos = LastLook.TOO_LONG_NANOS;
    assertThat(yields()).isTrue();
    assertThat(sleepsUntilItYields()).isEqualTo(LastLook.REST);
  }

  @Test
  void longYieldsAreMadeUpForByShortOnes() throws Exception {
    for (int times = 0; times < 100; times++) {
      for (int i = 0; i < LastLook.PRICE_TOO_LONG; i++) {
        assertThat(yields()).isTrue();
      }
      yieldNanos = LastLook.TOO_LONG_NANOS;
      assertThat(yields()).isTrue();
      yieldNanos = SHORT_NANOS;
    }
    assertThat(yields()).isTrue();
  }

  @Test
  void noMoreIsSavedThanAFewLongYieldsCost() throws Exception {
    for (int i = 0; i < 10 * LastLook.MOST_SAVED; i++) {
      assertThat(yields()).isTrue();
    }
    yieldNanos = LastLook.TOO_LONG_NANOS;
    for (int i = 0; i <= LastLook.MOST_SAVED / LastLook.PRICE_TOO_LONG; i++) {
      assertThat(yields()).isTrue();
    }
    assertThat(sleepsUntilItYields()).isEqualTo(LastLook.REST);
  }

  @Test
  void busyProgramThatStaysIsMetSeldom() throws Exception {
    yieldNanos = LastLook.TOO_LONG_NANOS;
    for (int i = 0; i < 10 * (LastLook.REST + 1); i++) {
      next(HAS_NONE);
    }
    assertThat(yields).isEqualTo(10);
  }
}
