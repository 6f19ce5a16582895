package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.algorithm.Cell;
import dev.sluice.algorithm.TokenBucket;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One number says as much as the two that the arithmetic works on. */
class MeterProperties {
  private static final long NOW = 1_767_225_600_000_000L;
  private static final Duration SECOND = Duration.ofSeconds(1);

  static List<Limit> limits() {
    return List.of(
        Limit.tokenBucket(10, SECOND),
        Limit.tokenBucket(7, SECOND).burst(3),
        Limit.tokenBucket(1_000_000, SECOND),
        Limit.tokenBucket(3_000_000, SECOND).burst(50),
        Limit.tokenBucket(997, Duration.ofDays(1)).burst(1_000),
        Limit.tokenBucket(1, Duration.ofDays(30)).burst(5));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void bucketComesBackAsTheArithmeticWouldHaveSettledIt(Limit limit) {
    Random random = new Random(limit.capacity());
    Meter meter = Meter.of(limit, NOW - 10 * limit.windowMicros());
    for (int i = 0; i < 10_000; i++) {
      Cell cell =
          new Cell(
              NOW - random.nextLong(3 * limit.windowMicros()),
              random.nextLong(3 * limit.capacity()));
      assertThat(meter.cell(meter.fullAt(cell), NOW))
          .as("%s under %s", cell, limit)
          .isEqualTo(TokenBucket.INSTANCE.settle(cell, limit, NOW));
    }
  }

  @Test
  void bucketIsNeverNothing() {
    Limit limit = Limit.tokenBucket(10, SECOND);
    assertThat(Meter.of(limit, NOW).fullAt(new Cell(NOW, 0))).isEqualTo(1);
    assertThat(Meter.of(limit, NOW).fullAt(new Cell(NOW - 5, 0))).isEqualTo(1);
  }

  @Test
  void bucketsThatOneNumberCannotHoldAreLeftToOthers() {
    assertThat(limits()).allMatch(Meter::fits);
    assertThat(
            List.of(
                Limit.tokenBucket(10, SECOND).initial(9),
                Limit.tokenBucket(10, SECOND).refill(Limit.Refill.INTERVAL),
                Limit.tokenBucket(1_234_567, SECOND),
                Limit.tokenBucket(1, Duration.ofDays(1_000)),
                Limit.fixedWindow(10, SECOND),
                Limit.leakyBucket(10, SECOND)))
        .noneMatch(Meter::fits);
  }
}
