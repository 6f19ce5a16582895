package dev.sluice.redis;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Answers and failures that come at once are as if they came one after the other. */
public class BreakerLincheckTest {
  // Lincheck takes an execution of ten seconds for a hung one; a busy machine may need as long.
  // The setter is public to the compiler only.
  private static final long PATIENCE_MILLIS = 120_000;

  private final Breaker breaker = new Breaker(() -> 0);

  /** One failure before it opens. */
  public BreakerLincheckTest() {
    for (int i = 1; i < Breaker.THRESHOLD; i++) {
      breaker.failed(Breaker.Entry.PASS);
    }
  }

  @Operation
  public String fail() {
    breaker.failed(Breaker.Entry.PASS);
    return breaker.state().toString();
  }

  @Operation
  public String succeed() {
    breaker.succeeded(Breaker.Entry.PASS);
    return breaker.state().toString();
  }

  @Test
  void answerThatComesAsItOpensDoesNotCloseIt() {
    new ModelCheckingOptions()
        .invocationTimeout$lincheck(PATIENCE_MILLIS)
        .iterations(5)
        .invocationsPerIteration(100)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(1)
        .check(BreakerLincheckTest.class);
  }
}
