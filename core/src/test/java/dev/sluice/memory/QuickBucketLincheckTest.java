package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/**
 * Charges without the lock and work under it never undo each other, whoever is interrupted when.
 */
public class QuickBucketLincheckTest {
  private final RateLimiter bucket =
      Sluice.of(new InMemoryStore(FakeClock.steady(), 100))
          .limiter("bucket", Limit.tokenBucket(3, Duration.ofDays(1)));

  // Lincheck takes an execution of ten seconds for a hung one; a busy machine may need as long.
  // The setter is public to the compiler only.
  private static final long PATIENCE_MILLIS = 120_000;

  @Operation
  public long take() {
    return bucket.tryAcquire("a").remaining();
  }

  @Operation
  public long force() {
    return bucket.force("a", 2).remaining();
  }

  @Operation
  public long refund() {
    return bucket.refund("a", 1).remaining();
  }

  @Test
  void threadsSeeOneOrderInEverySchedule() {
    new ModelCheckingOptions()
        .invocationTimeout$lincheck(PATIENCE_MILLIS)
        .iterations(2)
        .invocationsPerIteration(20)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(1)
        .check(QuickBucketLincheckTest.class);
  }
}
