package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {
  private static final Limit THREE = Limit.concurrency(3).lease(Duration.ofSeconds(1));

  @Test
  void permitsAreHeldUntilReleasedOrTheirLeaseEnds() {
    Tables.run(
        THREE,
        """
             0  2 as a    | yes  1    0  1000
           600  1 as b    | yes  0    0  1000
             0  1         | no   0  400  1000
             0  3         | no   0 1000  1000
             0  release a | yes
             0  2 as c    | yes  0    0  1000
             0  release a | no
          1000  release c | no               # its lease has ended
             0  3         | yes  0    0  1000""");
  }

  @Test
  void refundByNumberFreesNothing() {
    Tables.run(
        THREE,
        """
             0  3        | yes  0    0  1000
             0  refund 3 | yes  0    0  1000
             0  1        | no   0 1000  1000""");
  }

  @Test
  void forceHoldsWhatThereIs() {
    Tables.run(
        THREE,
        """
             0  2            | yes     1  0  1000
           100  force 2 as a | forced  0  0  1000
             0  release a    | yes
             0  peek 1       | yes     1  0   900""");
  }

  @Test
  void clockStepBackHoldsNoLongerThanTwoLeases() {
    Tables.run(
        THREE,
        """
             0     3 as a    | yes  0    0  1000
         -1000     1         | no   0 2000  2000
            -0.001 1         | no   0 1000  1000
             0     release a | yes
             0     3         | yes  0    0  1000""");
  }
}
