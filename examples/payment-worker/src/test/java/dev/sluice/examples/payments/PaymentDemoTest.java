package dev.sluice.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaymentDemoTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /**
   * However busy the machine is, and whoever is late. How much of the limit is used is a
   * measurement: {@code examples/run payment-worker}.
   */
  @Test
  void threeProcessesTogetherNeverExceedTheLimit() throws Exception {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Provider provider = new Provider()) {
      try (Workers workers = Workers.start(3, redis.uri(), provider.uri())) {
        await()
            .atMost(Duration.ofMinutes(3))
            .pollInterval(SECOND)
            .until(() -> !workers.allRun() || provider.calls() >= 600);
        assertThat(workers.allRun()).isTrue();
      }
      assertThat(provider.mostIn(SECOND)).isLessThanOrEqualTo(100);
      assertThat(provider.workers()).containsOnlyKeys("worker-1", "worker-2", "worker-3");
    }
  }
}
