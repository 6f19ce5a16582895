package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.StoreUnavailableException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LiveStatsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DENY  | false | 1",
        "DENY  | true  | 0",
        "ALLOW | false | 0",
        "ALLOW | true  | 0",
        "LOCAL | false | 0",
      })
  void failedStoreIsCountedByItselfWhereNoAnswerFollows(
      OnStoreFailure onStoreFailure, boolean shadow, long counted) {
    LiveStats stats = new LiveStats();
    Policy policy =
        Policy.named("p")
            .limits(List.of(Limit.parse("10/s")))
            .onStoreFailure(onStoreFailure)
            .shadow(shadow)
            .build();
    stats.storeFailed(policy, new StoreUnavailableException("timeout", "too late", null));
    assertThat(stats.of("p").degraded()).isEqualTo(counted);
  }
}
