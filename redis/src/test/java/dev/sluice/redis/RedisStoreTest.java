package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The way of a decision to a real server and back, on every server that can be had. */
class RedisStoreTest {
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

  private static long evalshaCalls(RedisServer server) {
    return String.valueOf(server.command("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
        .mapToLong(
            line -> Long.parseLong(line.replaceAll("^cmdstat_evalsha:calls=(\\d+),.*", "$1")))
        .sum();
  }
}
