package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(90)
class RedisSentinelTest {
  @ParameterizedTest
  @MethodSource("dev.sluice.redis.testkit.RedisBinary#all")
  void failsOverWhenToldAndWhenThePrimaryIsKilled(RedisBinary binary) {
    long start = System.nanoTime();
    try (RedisSentinel rig = RedisSentinel.start(binary, config -> config.password("pw"))) {
      lap(binary, "sentinel ready", start);
      RedisServer first = rig.primary();
      assertEquals(rig.servers().get(0), first);
      assertTrue(rig.uri().matches("redis-sentinel://:pw@(127.0.0.1:\\d+,?){3}/main"), rig::uri);
      first.command("SET", "k", "v");
      assertEquals(2L, first.command("WAIT", "2", "5000"));

      long kill = System.nanoTime();
      assertEquals(first, rig.killPrimary());
      RedisServer second = rig.awaitNewPrimary(first);
      lap(binary, "sentinel failover after kill", kill);
      assertEquals("v", second.command("GET", "k"));

      long told = System.nanoTime();
      RedisServer third = rig.failover();
      lap(binary, "sentinel told failover", told);
      assertEquals(3, Set.of(first, second, third).size());
      assertEquals("v", third.command("GET", "k"));
    }
  }

  private static void lap(RedisBinary binary, String what, long since) {
    long millis = (System.nanoTime() - since) / 1_000_000;
    System.out.printf("testkit: %s %s after %d ms%n", binary, what, millis);
  }
}
