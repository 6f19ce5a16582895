package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.algorithm.Cell;
import dev.sluice.algorithm.TokenBucket;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The short way decides what the arithmetic says, at every step of a random history. */
class QuickBucketProperties {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Limit[] LIMITS = {
    Limit.tokenBucket(10, SECOND),
    Limit.tokenBucket(7, SECOND).burst(3),
    Limit.tokenBucket(1_000_000, SECOND),
    Limit.tokenBucket(3_000_000, SECOND).burst(50),
    Limit.tokenBucket(1, Duration.ofDays(30)),
    Limit.tokenBucket(1_021, Duration.ofDays(1)).burst(50_021),
    Limit.tokenBucket(999_999_937, Duration.ofDays(1)).burst(1_000_003)
  };

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void theShortWayDecidesWhatTheArithmeticSays(long seed) {
    Random random = new Random(seed);
    for (Limit limit : LIMITS) {
      FakeClock clock = FakeClock.steady();
      RateLimiter limiter = Sluice.of(new InMemoryStore(clock, 10)).limiter("p", limit);
      TokenBucket bucket = TokenBucket.INSTANCE;
      Cell state = bucket.fresh(limit, clock.nowMicros());
      for (int step = 0; step < 300; step++) {
        clock.advanceMicros(pause(random, limit));
        long now = clock.nowMicros();
        long cost = 1 + random.nextLong(random.nextBoolean() ? 1 : limit.capacity());
        boolean stranded = bucket.stranded(state, limit, now);
        Cell settled = bucket.settle(state, limit, now);
        long retryAfter = bucket.earliest(settled, limit, cost, now) - now;
        Cell after =
            retryAfter == 0 ? bucket.charge(settled, limit, cost, now, now, null) : settled;
        state = retryAfter == 0 || stranded ? after : state;

        Decision decision = limiter.tryAcquire("k", cost);

        String at = "seed %d, %s, step %d".formatted(seed, limit, step);
        assertThat(decision.retryAfterMicros()).as(at).isEqualTo(retryAfter);
        assertThat(decision.allowed()).as(at).isEqualTo(retryAfter == 0);
        assertThat(decision.remaining()).as(at).isEqualTo(bucket.remaining(after, limit, now));
        assertThat(decision.resetAfterMicros())
            .as(at)
            .isEqualTo(Math.max(0, bucket.resetAt(after, limit, now) - now));
        assertThat(decision.passesAtMicros()).as(at).isEqualTo(now);
      }
    }
  }

  /** Mostly near the time of one permit; now and then nothing, or an age. */
  private static long pause(Random random, Limit limit) {
    return switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1 -> random.nextLong(3 * limit.windowMicros());
      default -> random.nextLong(2 + 2 * limit.microsFor(1 + random.nextLong(limit.capacity())));
    };
  }
}
