package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisCluster;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cluster that decides everything is well, whichever of its nodes once failed. */
class ClusterHealthTest {
  private static final Duration BACK = Duration.ofSeconds(20);
  private static final Duration DEADLINE = Duration.ofMillis(500);

  private static RateLimiter denying(Sluice sluice) {
    return sluice.limiter(
        Policy.named("api")
            .limits(List.of(Limit.fixedWindow(1_000_000, Duration.ofDays(30))))
            .onStoreFailure(OnStoreFailure.DENY)
            .build());
  }

  private static boolean decides(RateLimiter limiter) {
    try {
      return limiter.tryAcquire("k").allowed();
    } catch (StoreUnavailableException notYet) {
      return false;
    }
  }

  /** Has the breaker of the key's node open. */
  private static void failUntilOpen(RedisStore store, RateLimiter limiter) {
    Await.until(
        BACK,
        () -> !decides(limiter) && store.health().breaker() == BreakerState.OPEN,
        "the breaker opens");
  }

  @Test
  void nodeThatWasReplacedIsForgotten() {
    try (RedisCluster cluster = RedisCluster.start(RedisBinary.bundled());
        RedisStore store = Stores.withDeadline(cluster.uri(), DEADLINE);
        Sluice sluice = Sluice.of(store)) {
      RateLimiter limiter = denying(sluice);
      assertThat(decides(limiter)).isTrue();

      RedisServer dead = cluster.killPrimary("{api:k}");
      failUntilOpen(store, limiter);
      cluster.awaitNewPrimary(cluster.slotOf("{api:k}"), dead);

      Await.until(BACK, () -> decides(limiter), "the new primary decides");
      Await.until(BACK, store::ready, "nobody asks for the dead node any more");
      assertThat(store.health().breaker()).isEqualTo(BreakerState.CLOSED);
    }
  }

  /** Connections to it take as long as they may: here 20 seconds. */
  @Test
  void hungPrimaryDoesNotHoldUpItsSuccessor() {
    try (RedisCluster cluster = RedisCluster.start(RedisBinary.bundled());
        Sluice sluice = Sluice.of(Stores.withDeadline(cluster.uri(), DEADLINE))) {
      RateLimiter limiter = denying(sluice);
      assertThat(decides(limiter)).isTrue();

      RedisServer hung = cluster.primaryOf("{api:k}");
      hung.suspend();
      Await.until(
          BACK, () -> Outcomes.of(limiter, "k").equals("unreachable"), "its connection is left");
      cluster.awaitNewPrimary(cluster.slotOf("{api:k}"), hung);
      Await.until(Duration.ofSeconds(10), () -> decides(limiter), "its successor decides");
    }
  }

  @Test
  void clusterThatIsUpLaterIsReady() {
    try (RedisCluster cluster = RedisCluster.start(RedisBinary.bundled())) {
      cluster.nodes().forEach(RedisServer::kill9);
      try (RedisStore store = Stores.withDeadline(cluster.uri(), DEADLINE);
          Sluice sluice = Sluice.of(store)) {
        RateLimiter limiter = denying(sluice);
        failUntilOpen(store, limiter);

        cluster.nodes().forEach(RedisServer::restart);
        cluster.awaitReady();

        Await.until(BACK, () -> decides(limiter), "its nodes decide");
        Await.until(BACK, store::ready, "nobody asks an unknown node any more");
        assertThat(store.health().breaker()).isEqualTo(BreakerState.CLOSED);
      }
    }
  }
}
