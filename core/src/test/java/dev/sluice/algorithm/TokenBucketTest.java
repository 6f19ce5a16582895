package dev.sluice.algorithm;

import dev.sluice.Limit;
import dev.sluice.Limit.Refill;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Limit FIVE = Limit.tokenBucket(5, SECOND);

  @Test
  void tokensComeBackSmoothly() {
    Tables.run(
        FIVE,
        """
             0  4 | yes  1    0   800
             0  2 | no   1  200   800
           200  2 | yes  0    0  1000
           -50  1 | no   0  250  1050   # the clock stepped back
          2000  1 | yes  4    0   200""");
  }

  @Test
  void burstIsSpentAtOnceAndComesBackAtTheRate() {
    Tables.run(
        Limit.tokenBucket(5, SECOND).burst(12),
        """
             0 12 | yes  0     0  2400
             0  1 | no   0   200  2400
             0 12 | no   0  2400  2400
          1000  6 | no   5   200  1400
           200  6 | yes  0     0  2400""");
  }

  @Test
  void fractionsOfATokenAreKept() {
    Tables.run(
        Limit.tokenBucket(3, SECOND),
        """
             0      3 | yes  0        0  1000
           333.333  1 | no   0    0.001   666.667
             0.001  1 | yes  0        0  1000
           333      1 | no   0    0.333   667
             0.333  1 | yes  0        0  1000
           333.333  1 | yes  0        0  1000   # three in exactly a second, nothing is lost""");
  }

  @Test
  void smallStepBackOfTheClockWaitsForIt() {
    Tables.run(
        FIVE,
        """
             0  5 | yes  0    0  1000
         -1000  1 | no   0 1200  2000   # a whole period back
          1000  1 | no   0  200  1000
           200  1 | yes  0    0  1000""");
  }

  @Test
  void largeStepBackOfTheClockStartsAnewWithWhatWasUsed() {
    Tables.run(
        FIVE,
        """
             0     5 | yes  0    0  1000
         -1000.001 1 | no   0  200  1000
           200     1 | yes  0    0  1000
      -9999999     1 | no   0  200  1000   # and is remembered although denied
           200     1 | yes  0    0  1000""");
  }

  @Test
  void bucketThatStartsLowFillsFromItsFirstRequest() {
    Tables.run(
        FIVE.initial(1),
        """
             0  peek 1 | yes  1    0  1800
             0  2      | no   1  200  1800
           100  2      | no   1  100  1700
           100  2      | yes  0    0  2000
          1000  peek 5 | yes  5    0  1000   # full, and remembered for a period
           999  5      | yes  0    0  2000
          2000  5      | no   1  800  1800   # forgotten: as if never seen
           800  5      | yes  0    0  2000""");
  }

  @Test
  void batchesComeAPeriodAfterTheBucketWasFull() {
    Tables.run(
        Limit.tokenBucket(5, SECOND).burst(7).refill(Refill.INTERVAL),
        """
             0  3 | yes  4     0  1000
           999  5 | no   4     1     1
             1  5 | yes  2     0  1000   # three were missing, five came
           700  3 | no   2   300   300
           300  7 | yes  0     0  2000
           999  1 | no   0     1  1001
             1  6 | no   5  1000  1000
          1000  7 | yes  0     0  2000""");
  }

  @Test
  void borrowedTokensMustComeBackFirst() {
    Tables.run(
        FIVE.borrow(),
        """
             0  20 | yes  0     0  4000
             0   1 | no   0  3000  4000
          3000   1 | yes  0     0  1200
             0 refund 6 | yes  5  0  0""");
  }

  @Test
  void bookedPlacesStandInLine() {
    Tables.run(
        FIVE,
        """
             0  5           | yes  0    0  1000
             0  book 2  400 | yes  0    0  1400  400
             0  book 1  599 | no   0    1  1400
             0  book 1  600 | yes  0    0  1600  600
           600  1           | no   0  200  1000
           200  1           | yes  0    0  1000""");
  }

  @Test
  void forceTakesWhatThereIs() {
    Tables.run(
        FIVE,
        """
             0  3       | yes     2  0   600
             0  force 1 | yes     1  0   800
             0  force 4 | forced  0  0  1000
             0  force 1 | forced  0  0  1000""");
  }

  @Test
  void refundNeverFillsAboveTheBurst() {
    Tables.run(
        FIVE,
        """
             0  4        | yes  1  0  800
             0  refund 2 | yes  3  0  400
           100  refund 9 | yes  5  0    0
             0  5        | yes  0  0 1000""");
  }

  @Test
  void refundWhileOthersWaitKeepsTheirPasses() {
    Tables.run(
        FIVE,
        """
             0  5            | yes  0  0  1000
             0  book 5 2000  | yes  0  0  2000  1000
             0  refund 5     | yes  0  0  2000         # the bucket is full and empty again at 1000
             0  book 1 2000  | yes  0  0  2200  1200""");
  }
}
