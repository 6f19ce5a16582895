package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.redis.RedisOptions.Verify;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisOptionsTest {
  private static RedisOptions waiting(int most) {
    Duration second = Duration.ofSeconds(1);
    return new RedisOptions(second, second, most, null, Verify.FULL, Duration.ZERO, null, null);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1_000_001, Integer.MAX_VALUE})
  void noMoreMayWaitThanThereArePlacesFor(int most) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> waiting(most))
        .withMessage("redis options: max waiting must be from 1 to 1000000, got " + most);
  }

  @Test
  void oneOrAMillionMayWait() {
    assertThat(waiting(1).maxWaiting()).isOne();
    assertThat(waiting(1_000_000).maxWaiting()).isEqualTo(1_000_000);
  }
}
