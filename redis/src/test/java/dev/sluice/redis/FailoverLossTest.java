package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisSentinel;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replication is asynchronous: what a failover can forget, and who may still decide after it. */
class FailoverLossTest {
  private static final Duration BACK = Duration.ofSeconds(20);
  private static final int PERMITS = 100;
  private static final Limit LIMIT = Limit.slidingLog(PERMITS, Duration.ofHours(1));

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  private static void take(RateLimiter limiter, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void admitsAtMostWhatTheReplicaDidNotHearOf(RedisBinary binary) {
    try (RedisServer primary = RedisServer.on(binary).start();
        TcpProxy wire = TcpProxy.to(primary.port());
        RedisServer replica =
            RedisServer.on(binary).line("replicaof 127.0.0.1 " + wire.port()).start();
        Sluice first = Sluice.of(Stores.patient(primary.uri()));
        Sluice second = Sluice.of(Stores.patient(replica.uri()))) {
      RateLimiter before = Outcomes.denying(first, LIMIT);
      RateLimiter after = Outcomes.denying(second, LIMIT);
      take(before, 40);
      Await.until(BACK, () -> Outcomes.used(after, "k") == 40, "the replica has heard of all");

      wire.pause();
      take(before, 45);
      replica.command("REPLICAOF", "NO", "ONE");
      long lost = Outcomes.used(before, "k") - Outcomes.used(after, "k");
      long admitted = 85;
      while (after.tryAcquire("k").allowed()) {
        admitted++;
      }
      System.out.printf("%s, failover after a cut: %d of %d lost%n", binary, lost, PERMITS);
      assertThat(lost).isEqualTo(45);
      assertThat(admitted).isEqualTo(PERMITS + lost).isLessThanOrEqualTo(2 * PERMITS);
    }
  }

  /** With the settings of docs/redis.md; the former primary wakes up with its connections alive. */
  @Test
  void primaryThatWasOnlyStoppedIsLeftWhenSentinelsNameAnother() {
    try (RedisSentinel sentinel =
            RedisSentinel.start(
                RedisBinary.bundled(),
                config -> config.line("min-replicas-to-write 1").line("min-replicas-max-lag 2"));
        Sluice sluice = Sluice.of(Stores.withDeadline(sentinel.uri(), Duration.ofMillis(500)))) {
      RateLimiter limiter = Outcomes.denying(sluice, LIMIT);
      Await.until(BACK, () -> Outcomes.decided(limiter, "warm-up"), "the replicas are heard of");
      take(limiter, 50);
      RedisServer old = sentinel.primary();
      old.command("WAIT", "2", "5000");
      long decided = decisions(old);
      old.suspend();
      RedisServer next = sentinel.awaitNewPrimary(old);
      old.resume();
      AtomicLong admitted = new AtomicLong(50);
      Await.until(
          BACK,
          () -> {
            admitted.addAndGet(Outcomes.of(limiter, "k").equals("allowed") ? 1 : 0);
            return Outcomes.decided(limiter, "after") && has(next, "after");
          },
          "decisions come from the new primary");
      Await.until(
          BACK,
          () -> {
            String outcome = Outcomes.of(limiter, "k");
            admitted.addAndGet(outcome.equals("allowed") ? 1 : 0);
            return outcome.equals("denied");
          },
          "all is taken");
      long late = decisions(old) - decided;
      System.out.printf("zombie primary: %d asked after it woke, %s admitted%n", late, admitted);
      assertThat(admitted.get()).isBetween((long) PERMITS, PERMITS + Math.min(late, PERMITS));

      for (int i = 0; i < 10; i++) {
        Outcomes.of(limiter, "other");
      }
      assertThat(decisions(old) - decided).isEqualTo(late);
    }
  }

  private static boolean has(RedisServer server, String key) {
    return String.valueOf(server.command("KEYS", "sl:*")).contains(":" + key + "}");
  }

  private static long decisions(RedisServer server) {
    return String.valueOf(server.command("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
        .mapToLong(line -> Long.parseLong(line.replaceAll("^[^=]*=(\\d+),.*", "$1")))
        .sum();
  }
}
