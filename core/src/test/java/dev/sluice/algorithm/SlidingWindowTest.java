package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlidingWindowTest {
  private static final Limit TEN = Limit.slidingWindow(10, Duration.ofSeconds(1));
  private static final Limit FINE = TEN.precision(Duration.ofMillis(100));

  @Test
  void lastBlockCountsByItsOverlap() {
    Tables.run(
        TEN,
        """
             0  10 | yes  0     0  2000
             0   1 | no   0  1100  2000   # a tenth of the block must have left
          1099.999 1 | no 0  0.001  900.001
             0.001 1 | yes 0     0  1900
           400   4 | yes  0     0  1500   # half of ten, one and four
             0   1 | no   0   100  1500""");
  }

  @Test
  void finerBlocksForgetSooner() {
    Tables.run(
        FINE,
        """
            50  10 | yes  0     0  1050
             0  10 | no   0  1050  1050   # the block from 0 to 100 has left at 1100
             0   1 | no   0   960  1050
           960   1 | yes  0     0  1090
            50   6 | no   5    10  1040
             0   5 | yes  0     0  1040""");
  }

  @Test
  void clockStepBackForgetsNothingAndBlocksNoLongerThanTwoPeriods() {
    Tables.run(
        FINE,
        """
          2000  10 | yes  0     0  1100
          -990   1 | no   0  2000  2090
         -0.001  1 | no   0  1000.001  1090.001   # further back: all counts in this block
          1090.001 10 | yes 0  0  1100""");
  }

  @Test
  void refundTakesTheNewestBlocks() {
    Tables.run(
        FINE,
        """
             0   6 | yes  4    0  1100
           500   4 | yes  0    0  1100
             0   refund 5 | yes  5  0   600
             0   5 | yes  0    0  1100""");
  }

  @Test
  void bookingsStandInLine() {
    Tables.run(
        FINE,
        """
             0  10           | yes  0    0  1100
             0  book 5 5000  | yes  0    0  2100  1050
             0  book 5 5000  | yes  0    0  2200  1100
             0  book 1 2000  | no   0   20  2200""");
  }
}
