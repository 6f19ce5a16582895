package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.FakeRedis;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Sentinels that are asked now and then; what they say is news to few. */
class SentinelWatchTest {
  private static final Duration BACK = Duration.ofSeconds(20);
  private static final String QUESTION = "SENTINEL GET-MASTER-ADDR-BY-NAME";

  private static void name(FakeRedis sentinel, RedisServer primary) {
    String port = Integer.toString(primary.port());
    sentinel.answer(QUESTION, "*2\r\n$9\r\n127.0.0.1\r\n$%d\r\n%s".formatted(port.length(), port));
  }

  private static long questions(FakeRedis sentinel) {
    return sentinel.commands().stream().filter(words -> words.get(0).equals("SENTINEL")).count();
  }

  private static Set<String> connections(RedisServer server) {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains("name=sluice"))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .collect(Collectors.toSet());
  }

  @Test
  void whoIsWithTheNewPrimaryAlreadyStaysThere() {
    try (FakeRedis sentinel = FakeRedis.start();
        RedisServer old = RedisServer.on(RedisBinary.bundled()).start();
        RedisServer next = RedisServer.on(RedisBinary.bundled()).start()) {
      name(sentinel, old);
      String address = "redis-sentinel://127.0.0.1:%d/main".formatted(sentinel.port());
      try (Sluice sluice = Sluice.of(Stores.withDeadline(address, Duration.ofMillis(500)))) {
        RateLimiter limiter = Outcomes.denying(sluice, Outcomes.HUGE);
        Outcomes.awaitDecided(limiter);
        long asked = questions(sentinel);
        Await.until(BACK, () -> questions(sentinel) > asked + 1, "the watch knows the primary");

        name(sentinel, next);
        old.kill9();
        Await.until(BACK, () -> Outcomes.decided(limiter, "k"), "the new primary decides");
        Set<String> made = connections(next);

        long then = questions(sentinel);
        Await.until(BACK, () -> questions(sentinel) > then + 2, "the watch knows the new one");
        assertThat(connections(next)).containsAll(made);
      }
    }
  }

  /**
   * Lettuce passes the hung one by after its time to connect, which is longer than the watch waits.
   */
  @Test
  void hungSentinelCostsTheOthersOneConnection() throws IOException {
    try (ServerSocket hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        FakeRedis sentinel = FakeRedis.start();
        RedisServer primary = RedisServer.on(RedisBinary.bundled()).start()) {
      name(sentinel, primary);
      RedisAddress address =
          RedisAddress.parse(
              "redis-sentinel://127.0.0.1:%d,127.0.0.1:%d/main"
                  .formatted(hung.getLocalPort(), sentinel.port()));
      RedisOptions options = Stores.patience().withConnectTimeout(Duration.ofMillis(1_800));
      try (RedisStore store = RedisStore.connect(address, options)) {
        Await.until(BACK, () -> questions(sentinel) > 5, store + ": the watch asks");
        Await.until(BACK, () -> sentinel.connections() == 1, "there is no other connection");
      }
    }
  }
}
