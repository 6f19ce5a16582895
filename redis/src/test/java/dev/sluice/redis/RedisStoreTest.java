package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The way of a decision to a real server and back, on every server that can be had. */
class RedisStoreTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int THREADS = 4;

  static Stream<RedisBinary> servers() {
    return RedisBinary.all().stream();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void fiveOfTenPassALimitOfFive(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      RateLimiter limiter = sluice.limiter("api", Limit.slidingLog(5, Duration.ofHours(1)));
      List<Boolean> passed =
          IntStream.range(0, 10).mapToObj(i -> limiter.tryAcquire("user:42").allowed()).toList();
      assertThat(passed)
          .containsExactly(true, true, true, true, true, false, false, false, false, false);
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void blockingAndAsynchronousCallersShareOneLimit(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      RateLimiter limiter = sluice.limiter("api", Limit.tokenBucket(2, Duration.ofHours(1)));
      assertThat(limiter.tryAcquire("k").remaining()).isEqualTo(1);
      assertThat(limiter.tryAcquireAsync("k").join().remaining()).isEqualTo(0);
      assertThat(limiter.tryAcquireAsync("k").join().allowed()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void checksOfSeveralKeysAreOneCall(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      sluice.limiter("address", Limit.tokenBucket(5, Duration.ofHours(1)));
      sluice.limiter("user", Limit.slidingLog(1, Duration.ofHours(1)));
      List<Check> checks = List.of(new Check("address", "10.0.0.1"), new Check("user", "42"));
      assertThat(sluice.tryAcquireTogether(checks)).allMatch(Decision::allowed);
      long calls = evalshaCalls(server);
      List<Decision> denied = sluice.tryAcquireTogether(checks);
      assertThat(evalshaCalls(server) - calls).isEqualTo(1);
      assertThat(denied.get(0).remaining()).isEqualTo(4);
      assertThat(denied.get(1).allowed()).isFalse();
    }
  }

  /** Not by an error of ours: edges would answer it with 500, not as the policy says. */
  @ParameterizedTest
  @MethodSource("servers")
  void callsThatMeetTheCloseFailAsThoseOfAStoreThatIsAway(RedisBinary binary) throws Exception {
    try (RedisServer server = RedisServer.on(binary).start()) {
      for (int round = 0; round < 5; round++) {
        Sluice sluice = Sluice.of(Stores.patient(server.uri()));
        RateLimiter limiter =
            sluice.limiter(
                Policy.named("api")
                    .limits(List.of(Limit.tokenBucket(1_000_000, MINUTE)))
                    .onStoreFailure(OnStoreFailure.DENY)
                    .build());
        limiter.tryAcquire("k");
        CountDownLatch busy = new CountDownLatch(THREADS);
        List<CompletableFuture<Throwable>> ends =
            IntStream.range(0, THREADS)
                .mapToObj(
                    i ->
                        CompletableFuture.supplyAsync(
                            () -> callUntilItFails(limiter, busy),
                            task -> new Thread(task).start()))
                .toList();
        busy.await();
        sluice.close();
        for (CompletableFuture<Throwable> end : ends) {
          assertThat(end.get(30, TimeUnit.SECONDS)).isInstanceOf(StoreUnavailableException.class);
        }
      }
    }
  }

  private static Throwable callUntilItFails(RateLimiter limiter, CountDownLatch busy) {
    for (int i = 0; ; i++) {
      if (i == 10) {
        busy.countDown();
      }
      try {
        limiter.tryAcquire("k");
      } catch (RuntimeException failure) {
        return failure;
      }
    }
  }

  private static long evalshaCalls(RedisServer server) {
    return String.valueOf(server.command("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
        .mapToLong(
            line -> Long.parseLong(line.replaceAll("^cmdstat_evalsha:calls=(\\d+),.*", "$1")))
        .sum();
  }
}
