package dev.sluice.memory;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** The memory store is linearizable: threads see what some order of single calls would give. */
public class InMemoryStoreLincheckTest {
  private final Sluice sluice = Sluice.of(new InMemoryStore(FakeClock.steady(), 100));
  private final RateLimiter bucket =
      sluice.limiter("bucket", Limit.tokenBucket(3, Duration.ofDays(1)));
  private final RateLimiter both =
      sluice.limiter(
          "both",
          Limit.slidingLog(3, Duration.ofDays(1)),
          Limit.fixedWindow(4, Duration.ofDays(1)));

  // Lincheck takes an execution of ten seconds for a hung one; a busy machine may need as long.
  // The setter is public to the compiler only.
  private static final long PATIENCE_MILLIS = 120_000;

  @Operation
  public boolean takeFromBucket() {
    return bucket.tryAcquire("a").allowed();
  }

  @Operation
  public long refundToBucket() {
    return bucket.refund("a", 1).remaining();
  }

  @Operation
  public long takeFromBoth() {
    return both.tryAcquire("a").remaining();
  }

  @Operation
  public long leftOfBoth() {
    return both.peek("a").remaining();
  }

  @Operation
  public boolean takeTogether() {
    return sluice
        .tryAcquireTogether(List.of(new Check("bucket", "a"), new Check("both", "b")))
        .stream()
        .allMatch(Decision::allowed);
  }

  @Test
  void threadsSeeOneOrderUnderStress() {
    new StressOptions()
        .invocationTimeout$lincheck(PATIENCE_MILLIS)
        .iterations(8)
        .invocationsPerIteration(200)
        .threads(3)
        .actorsPerThread(3)
        .check(InMemoryStoreLincheckTest.class);
  }
}
