package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisCluster;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AcrossSlotsTest {
  /** A key of the policy on this node. */
  private static String keyOn(RedisCluster cluster, RedisServer node, String policy) {
    return Stream.iterate(1, i -> i + 1)
        .map(i -> "k" + i)
        .filter(key -> cluster.primaryOf("{%s:%s}".formatted(policy, key)).equals(node))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void denialStandsWhereTheNodeOfAnotherCheckIsOut() {
    try (RedisCluster cluster = RedisCluster.start(RedisBinary.bundled());
        Sluice sluice = Sluice.of(Stores.withDeadline(cluster.uri(), Duration.ofMillis(500)))) {
      sluice.limiter("one", Limit.fixedWindow(1, Duration.ofDays(30)));
      sluice.limiter("many", Limit.fixedWindow(1_000, Duration.ofDays(30)));
      RedisServer hung = cluster.primaries().get(1);
      Check one = new Check("one", keyOn(cluster, cluster.primaries().get(0), "one"));
      Check many = new Check("many", keyOn(cluster, hung, "many"));
      assertThat(sluice.tryAcquireTogether(List.of(one, many))).allMatch(Decision::allowed);

      hung.suspend();
      List<Decision> denied = sluice.tryAcquireTogether(List.of(one, many));
      hung.resume();

      assertThat(denied).extracting(Decision::allowed).containsExactly(false, true);
      assertThat(denied).extracting(Decision::degraded).containsExactly(false, true);
    }
  }
}
