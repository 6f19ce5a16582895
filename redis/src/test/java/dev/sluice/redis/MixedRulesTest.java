package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** While new rules are rolled out, nodes with the old ones ask for the same keys. */
@TestInstance(Lifecycle.PER_CLASS)
class MixedRulesTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final int ATTEMPTS = 300;

  private RedisServer server;

  @BeforeAll
  void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
  }

  @AfterAll
  void stop() {
    server.close();
  }

  /** Two rules for one key, and the most that may pass while both are in force. */
  record Change(List<Limit> before, List<Limit> after, long most) {
    Change(Limit before, Limit after, long most) {
      this(List.of(before), List.of(after), most);
    }
  }

  static List<Change> changes() {
    List<Limit> limits =
        List.of(
            Limit.tokenBucket(100, HOUR),
            Limit.fixedWindow(100, HOUR),
            Limit.counter(100, HOUR),
            Limit.slidingLog(100, HOUR),
            Limit.slidingWindow(100, HOUR),
            Limit.leakyBucket(1, HOUR).queue(99),
            Limit.concurrency(100));
    List<Change> changes = new ArrayList<>();
    for (Limit before : limits) {
      for (Limit after : limits) {
        changes.add(new Change(before.name("quota"), after.name("quota"), 200));
      }
    }
    // Of one algorithm, they share what was used: nobody gets more than the larger gives.
    changes.add(new Change(Limit.tokenBucket(100, HOUR), Limit.tokenBucket(40, HOUR), 100));
    changes.add(new Change(Limit.slidingLog(100, HOUR), Limit.slidingLog(40, HOUR), 100));
    changes.add(new Change(Limit.fixedWindow(40, HOUR), Limit.fixedWindow(100, HOUR), 100));
    changes.add(new Change(Limit.concurrency(40), Limit.concurrency(100), 100));
    // Limits come and go beside one that stays.
    Limit bucket = Limit.tokenBucket(100, HOUR);
    Limit window = Limit.fixedWindow(1_000, HOUR);
    Limit daily = Limit.fixedWindow(1_000, Duration.ofDays(1)).name("daily");
    changes.add(new Change(List.of(bucket), List.of(bucket, window), 100));
    changes.add(new Change(List.of(window, bucket), List.of(bucket, daily), 100));
    changes.add(new Change(List.of(bucket), List.of(Limit.slidingLog(900, HOUR), bucket), 100));
    return changes;
  }

  @ParameterizedTest
  @MethodSource("changes")
  void nodesWithOldAndNewRulesAdmitNoMoreThanBoth(Change change) {
    server.command("FLUSHALL");
    try (Sluice oldNode = Sluice.of(Stores.patient(server.uri()));
        Sluice newNode = Sluice.of(Stores.patient(server.uri()))) {
      CompletableFuture<Long> before = admitted(oldNode, change.before());
      CompletableFuture<Long> after = admitted(newNode, change.after());
      assertThat(before.join() + after.join()).isBetween(100L, change.most());
    }
  }

  private static CompletableFuture<Long> admitted(Sluice node, List<Limit> limits) {
    RateLimiter limiter =
        node.limiter(
            Policy.named("api").limits(limits).onStoreFailure(OnStoreFailure.DENY).build());
    return CompletableFuture.supplyAsync(
        () -> {
          long admitted = 0;
          for (int i = 0; i < ATTEMPTS; i++) {
            admitted += limiter.tryAcquire("user:42").allowed() ? 1 : 0;
          }
          return admitted;
        },
        task -> new Thread(task).start());
  }
}
