package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.Breaker.Entry;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BreakerTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Breaker breaker = new Breaker(nanos::get);

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      breaker.failed(breaker.enter());
    }
  }

  private void pass(long time) {
    nanos.addAndGet(time);
  }

  @Test
  void staysClosedBelowFiveFailuresInARow() {
    fail(Breaker.THRESHOLD - 1);
    breaker.succeeded(breaker.enter());
    fail(Breaker.THRESHOLD - 1);
    assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
    assertThat(breaker.enter()).isEqualTo(Entry.PASS);
  }

  @Test
  void fiveFailuresInARowOpenIt() {
    fail(Breaker.THRESHOLD);
    assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    assertThat(breaker.enter()).isEqualTo(Entry.REFUSED);
  }

  @Test
  void oneProbeAtATime() {
    fail(Breaker.THRESHOLD);
    pass(Breaker.FIRST_PAUSE_NANOS);
    assertThat(breaker.enter()).isEqualTo(Entry.PROBE);
    assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
    assertThat(breaker.enter()).isEqualTo(Entry.REFUSED);
  }

  @Test
  void probeThatSucceedsClosesIt() {
    fail(Breaker.THRESHOLD);
    pass(Breaker.FIRST_PAUSE_NANOS);
    breaker.succeeded(breaker.enter());
    assertThat(breaker.enter()).isEqualTo(Entry.PASS);
    assertThat(breaker.state()).isEqualTo(BreakerState.CLOSED);
  }

  @Test
  void pausesDoubleUpToOneSecond() {
    fail(Breaker.THRESHOLD);
    long longest = Breaker.FIRST_PAUSE_NANOS;
    for (int probes = 0; probes < 20; probes++) {
      // Jitter takes away at most half.
      pass(longest / 2);
      if (breaker.enter() == Entry.REFUSED) {
        pass(longest - longest / 2);
        assertThat(breaker.enter()).isEqualTo(Entry.PROBE);
      }
      breaker.failed(Entry.PROBE);
      longest = Math.min(2 * longest, Breaker.LONGEST_PAUSE_NANOS);
      assertThat(breaker.enter()).isEqualTo(Entry.REFUSED);
    }
    assertThat(longest).isEqualTo(500_000_000L);
  }

  @Test
  void pausesOfTwoBreakersDiffer() {
    long[] opened = new long[20];
    for (int i = 0; i < opened.length; i++) {
      Breaker other = new Breaker(nanos::get);
      for (int j = 0; j < Breaker.THRESHOLD; j++) {
        other.failed(other.enter());
      }
      long start = nanos.get();
      while (other.enter() == Entry.REFUSED) {
        pass(1_000_000);
      }
      opened[i] = nanos.get() - start;
    }
    // Twenty draws out of 25 ms: that all are one and the same happens never.
    assertThat(java.util.Arrays.stream(opened).distinct().count()).isGreaterThan(1);
  }

  @Test
  void lateAnswerDoesNotCloseAnOpenBreaker() {
    Entry early = breaker.enter();
    fail(Breaker.THRESHOLD);
    breaker.succeeded(early);
    assertThat(breaker.enter()).isEqualTo(Entry.REFUSED);
  }

  @Test
  void lateFailuresDoNotLengthenThePause() {
    fail(Breaker.THRESHOLD);
    for (int i = 0; i < 100; i++) {
      breaker.failed(Entry.PASS);
    }
    pass(Breaker.FIRST_PAUSE_NANOS);
    assertThat(breaker.enter()).isEqualTo(Entry.PROBE);
  }
}
