package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlidingLogTest {
  private static final Limit FIVE = Limit.slidingLog(5, Duration.ofSeconds(1));

  @Test
  void hitCountsForExactlyAPeriod() {
    Tables.run(
        FIVE,
        """
             0      3 | yes  2       0  1000
           400      2 | yes  0       0  1000
           599.999  1 | no   0   0.001  400.001
             0.001  3 | yes  0       0  1000   # the first three are gone, the two are not
             0      1 | no   0     400  1000
             0      3 | no   0    1000  1000""");
  }

  @Test
  void hitsOfOneInstantAllCount() {
    Tables.run(
        FIVE,
        """
             0  1 | yes  4    0  1000
             0  1 | yes  3    0  1000
             0  3 | yes  0    0  1000
             0  1 | no   0 1000  1000""");
  }

  @Test
  void clockStepBackForgetsNothingAndBlocksNoLongerThanTwoPeriods() {
    Tables.run(
        FIVE,
        """
             0     5 | yes  0     0  1000
         -1000     1 | no   0  2000  2000
          1000     1 | no   0  1000  1000
         -1000.001 1 | no   0  1000  1000   # more than a period: one period from now
          1000     5 | yes  0     0  1000""");
  }

  @Test
  void bookedHitsCountAtOnce() {
    Tables.run(
        FIVE,
        """
             0  3           | yes  2     0  1000
           500  2           | yes  0     0  1000
             0  book 4 5000 | yes  0     0  2000  1000
             0  book 1 5000 | yes  0     0  2000  1000
             0  book 1 1999 | no   0     1  2000
          1000  1           | no   0  1000  1000""");
  }

  @Test
  void refundTakesTheNewestHits() {
    Tables.run(
        FIVE,
        """
             0  3        | yes  2    0  1000
           400  2        | yes  0    0  1000
           100  refund 3 | yes  3    0   500
             0  4        | no   3  500   500
           500  refund 9 | yes  5    0     0""");
  }

  @Test
  void logOfAHundredThousandHitsIsDecidedBySearchNotByWalking() {
    HitLog log = new HitLog();
    for (int i = 0; i < 100_000; i++) {
      log.append(i, 1);
    }
    assertThat(log.countUntil(49_999)).isEqualTo(50_000);
    assertThat(log.firstReaching(70_001)).isEqualTo(70_000);
    log.dropFirst(99_990);
    assertThat(log.size()).isEqualTo(10);
    assertThat(log.total() - log.total(-1)).isEqualTo(10);
    assertThat(log.time(0)).isEqualTo(99_990);
    assertThat(log)
        .hasToString(
            "hits at [99990, 99991, 99992, 99993, 99994, 99995, 99996, 99997, 99998, 99999],"
                + " 10 permits");
  }
}
