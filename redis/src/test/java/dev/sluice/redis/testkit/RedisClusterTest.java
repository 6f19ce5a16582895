package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(90)
class RedisClusterTest {
  @ParameterizedTest
  @MethodSource("dev.sluice.redis.testkit.RedisBinary#all")
  void servesMigratesAndFailsOver(RedisBinary binary) {
    long start = System.nanoTime();
    try (RedisCluster cluster = RedisCluster.start(binary)) {
      lap(binary, "cluster ready", start);
      assertEquals(cluster.nodes().subList(0, 3), cluster.primaries());
      assertEquals(12182, cluster.slotOf("foo"));
      assertEquals(cluster.slotOf("{foo}.bar"), cluster.slotOf("foo"));
      migratesASlotWithItsKeys(cluster);

      long kill = System.nanoTime();
      RedisServer killed = cluster.killPrimary("foo");
      RedisServer promoted = cluster.awaitNewPrimary(cluster.slotOf("foo"), killed);
      lap(binary, "cluster failover", kill);
      assertNotEquals(killed, promoted);
      assertEquals("2", promoted.command("GET", "foo"));
      killed.restart();
      cluster.awaitReady();
      assertEquals(3, cluster.primaries().size());
    }
  }

  private static void migratesASlotWithItsKeys(RedisCluster cluster) {
    RedisServer source = cluster.primaryOf("foo");
    RedisServer target = cluster.primaries().get(0);
    assertNotEquals(source, target);
    String binaryKey = "{foo}\u0000\u00ff\r\n";
    try (Resp resp = source.connect(StandardCharsets.ISO_8859_1)) {
      resp.command("SET", binaryKey, "1");
    }
    source.command("SET", "foo", "2");

    SlotMigration migration = cluster.startMigration(12182, target);
    assertEquals(2, migration.moveKeys(10));
    assertEquals("ASK 12182 127.0.0.1:" + target.port(), errorOf(source, "GET", "foo"));
    migration.moveAllKeys();
    migration.finish();

    assertEquals("MOVED 12182 127.0.0.1:" + target.port(), errorOf(source, "GET", "foo"));
    assertEquals(target, cluster.primaryOf("foo"));
    try (Resp resp = target.connect(StandardCharsets.ISO_8859_1)) {
      assertEquals(List.of("1", "2"), resp.command("MGET", binaryKey, "foo"));
    }
    assertEquals(1L, target.command("WAIT", "1", "5000"));
  }

  private static String errorOf(RedisServer server, String... words) {
    return assertThrows(ErrorReplyException.class, () -> server.command(words)).text();
  }

  private static void lap(RedisBinary binary, String what, long since) {
    long millis = (System.nanoTime() - since) / 1_000_000;
    System.out.printf("testkit: %s %s after %d ms%n", binary, what, millis);
  }
}
