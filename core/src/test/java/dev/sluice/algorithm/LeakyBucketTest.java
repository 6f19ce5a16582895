package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeakyBucketTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Limit QUEUE = Limit.leakyBucket(10, SECOND).queue(3);

  @Test
  void onePassesAtOnceThreeWaitAndTheFifthIsDenied() {
    Tables.run(
        QUEUE,
        """
             0  1 | yes  3    0  100    0
             0  1 | yes  2    0  200  100
             0  1 | yes  1    0  300  200
             0  1 | yes  0    0  400  300
             0  1 | no   0  100  400    0
           100  1 | yes  0    0  400  300
          1000  1 | yes  3    0  100    0""");
  }

  @Test
  void withoutAQueueRequestsAreSpacedByDenial() {
    Tables.run(
        Limit.leakyBucket(10, SECOND),
        """
             0  1 | yes  0    0  100  0
            99  1 | no   0    1    1  0
             1  1 | yes  0    0  100  0""");
  }

  @Test
  void costTakesSoManySlots() {
    Tables.run(
        QUEUE,
        """
             0  3 | yes  1    0  300    0
             0  2 | no   1  100  300    0
             0  1 | yes  0    0  400  300""");
  }

  @Test
  void clockStepBackKeepsTheOrder() {
    Tables.run(
        QUEUE,
        """
             0     1 | yes  3     0   100    0
             0     1 | yes  2     0   200  100
         -1000     1 | yes  1     0  1300  1200
             0     2 | no   1  1100  1300
         -0.001    1 | yes  0     0   400  300   # too far back: the slots count from now""");
  }

  @Test
  void slotsOfThoseWhoWaitAreNotGivenAgain() {
    Tables.run(
        QUEUE,
        """
             0  1        | yes  3  0  100    0
             0  1        | yes  2  0  200  100
             0  refund 2 | yes  2  0  200         # the second still waits
           100  refund 1 | yes  4  0    0         # now nobody does
             0  1        | yes  3  0  100    0""");
  }

  @Test
  void limitThatCountsMustHaveRoomWhenTheQueueLetsPass() {
    // The window turns at 1000: who passes after it counts there.
    Tables.run(
        """
           850  1 | yes  1    0  150    0
             0  1 | yes  0    0  150  100
             0  1 | yes  0    0 1150  200
             0  1 | yes  0    0 1150  300
             0  1 | no   0 1150 1150""",
        Limit.fixedWindow(2, SECOND),
        Limit.leakyBucket(10, SECOND).queue(9));
  }

  @Test
  void whoIsDelayedByAnotherLimitLeavesTheSlotsBefore() {
    Tables.run(
        """
             0  1          | yes  0  0  1000     0
             0  book 1 5000 | yes  0  0  2000  1000
             0  book 1 5000 | yes  0  0  3000  2000""",
        Limit.slidingLog(1, SECOND),
        Limit.leakyBucket(10, SECOND).queue(99));
  }

  @Test
  void slotsAreGivenBackWhileNobodyIsBehindThem() {
    FakeClock clock = new FakeClock();
    try (Sluice sluice = Sluice.of(InMemoryStore.keepingAll(clock))) {
      RateLimiter limiter = sluice.limiter("p", QUEUE);
      limiter.giveBack(limiter.tryAcquire("k", 3));
      assertThat(limiter.peek("k").remaining()).isEqualTo(4);
      Decision taken = limiter.tryAcquire("k", 3);
      clock.advance(Duration.ofMillis(150));
      limiter.giveBack(taken);
      assertThat(limiter.peek("k").remaining()).isEqualTo(4);
    }
  }

  @Test
  void slotsWithOthersBehindThemAreLostEvenOnceThoseHavePassed() {
    FakeClock clock = new FakeClock();
    try (Sluice sluice = Sluice.of(InMemoryStore.keepingAll(clock))) {
      RateLimiter limiter = sluice.limiter("p", QUEUE);
      Decision first = limiter.tryAcquire("k");
      limiter.tryAcquire("k");
      limiter.giveBack(first);
      assertThat(limiter.peek("k").waitTime()).isEqualTo(Duration.ofMillis(200));
      clock.advance(Duration.ofMillis(150));
      limiter.giveBack(first);
      assertThat(limiter.peek("k").waitTime()).isEqualTo(Duration.ofMillis(50));
    }
  }
}
