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
   * Never above the limit, however busy the machine is and whoever is late. How much of it is used
   * depends on that, so it is a measurement: {@code examples/run payment-worker}. Here it is only
   * printed, and 2200 calls must be made within three minutes.
   */
  @Test
  void threeProcessesTogetherUseTheLimitAndNeverExceedIt() throws Exception {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Provider provider = new Provider()) {
      try (Workers workers = Workers.start(3, redis.uri(), provider.uri())) {
        await()
            .atMost(Duration.ofMinutes(3))
            .pollInterval(SECOND)
            .until(() -> !workers.allRun() || provider.calls() >= 2_200);
        assertThat(workers.allRun()).isTrue();
      }
      assertThat(provider.mostIn(SECOND)).isLessThanOrEqualTo(100);
      int most = provider.mostIn(Duration.ofSeconds(20));
      System.out.printf("payment workers: %d calls of 2000 in 20 seconds%n", most);
      assertThat(provider.workers()).containsOnlyKeys("worker-1", "worker-2", "worker-3");
    }
  }
}
