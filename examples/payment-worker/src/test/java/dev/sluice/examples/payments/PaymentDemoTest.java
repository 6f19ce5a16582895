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
   * A busy machine can keep the workers from calling, so the test waits for 20 seconds in which
   * they could. What they may never do, however busy it is, they must not have done before either.
   */
  @Test
  void threeProcessesUseTheWholeLimitAndNeverExceedIt() throws Exception {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Provider provider = new Provider()) {
      try (Workers workers = Workers.start(3, redis.uri(), provider.uri())) {
        await()
            .atMost(Duration.ofMinutes(2))
            .pollInterval(SECOND)
            .until(() -> !workers.allRun() || provider.mostIn(SECOND.multipliedBy(20)) >= 1980);
        assertThat(workers.allRun()).isTrue();
      }
      assertThat(provider.mostIn(SECOND)).isLessThanOrEqualTo(100);
      assertThat(provider.workers()).containsOnlyKeys("worker-1", "worker-2", "worker-3");
    }
  }
}
