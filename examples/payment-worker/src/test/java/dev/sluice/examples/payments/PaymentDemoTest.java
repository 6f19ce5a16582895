package dev.sluice.examples.payments;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaymentDemoTest {
  /**
   * A period of two seconds forgives a busy machine that delays a call by a second. The figures of
   * the real period are in the README beside this.
   */
  @Test
  void threeProcessesTogetherStayWithinTheLimit() throws Exception {
    try (RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
        Provider provider = new Provider()) {
      PaymentDemo.run(provider, redis.uri(), Duration.ofSeconds(2), 6);
      assertThat(provider.workers().keySet())
          .containsExactlyInAnyOrder("worker-1", "worker-2", "worker-3");
      assertThat(provider.mostInASecond()).isBetween(1, 100);
      assertThat(provider.within(60)).isGreaterThan(100);
    }
  }
}
