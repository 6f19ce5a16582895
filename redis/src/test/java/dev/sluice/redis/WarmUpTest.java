package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.TcpProxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  @Test
  void opensWithDecisionsOnEveryWayAndLeavesNothing() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        RedisStore store =
            RedisStore.connect(RedisAddress.parse(server.uri()), Stores.patience())) {
      assertThat(store.ready()).isTrue();
      assertThat(String.valueOf(server.command("INFO", "commandstats")))
          .containsPattern("cmdstat_evalsha:calls=\\d{3,},")
          // Of a batch, of a log, and of what is held.
          .contains("cmdstat_mget", "cmdstat_lrange", "cmdstat_zadd")
          // Crowds find their buckets again, thousands of times.
          .containsPattern("cmdstat_incrby:calls=\\d{4,},");
      assertThat(server.command("KEYS", "*")).isEqualTo(List.of());
    }
  }

  @Test
  void asksNoMoreAtOnceThanMayWait() {
    RedisOptions few = Stores.patience().withMaxWaiting(9);
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        RedisStore store = RedisStore.connect(RedisAddress.parse(server.uri()), few)) {
      assertThat(store.ready()).isTrue();
      assertThat(String.valueOf(server.command("INFO", "commandstats")))
          .containsPattern("cmdstat_incrby:calls=\\d{3,},");
      assertThat(server.command("KEYS", "*")).isEqualTo(List.of());
    }
  }

  @Test
  void aFarServerMeetsFewCrowds() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        TcpProxy far = TcpProxy.to(server.port())) {
      far.delay(Duration.ofMillis(20));
      String address = "redis://127.0.0.1:" + far.port();
      try (RedisStore store = RedisStore.connect(RedisAddress.parse(address), Stores.patience())) {
        assertThat(store.ready()).isTrue();
        // In 0.3 seconds at most 15 crowds of 256, where all would be 150.
        assertThat(String.valueOf(server.command("INFO", "commandstats")))
            .containsPattern("cmdstat_incrby:calls=[1-9]\\d{0,3},");
        assertThat(server.command("KEYS", "*")).isEqualTo(List.of());
      }
    }
  }

  @Test
  void connectNowDoesSoToo() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        RedisStore store =
            RedisStore.connectNow(RedisAddress.parse(server.uri()), Stores.patience())) {
      assertThat(store.ready()).isTrue();
      assertThat(String.valueOf(server.command("INFO", "commandstats")))
          .containsPattern("cmdstat_evalsha:calls=\\d{3,},");
    }
  }

  @Test
  void aServerThatHasNoRoomIsOpenedAllTheSame() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      server.command("CONFIG", "SET", "maxmemory", "1");
      try (Sluice sluice =
          Sluice.of(RedisStore.connect(RedisAddress.parse(server.uri()), Stores.patience()))) {
        Policy.Builder strict =
            Policy.named("p")
                .limits(List.of(Limit.parse("1/s")))
                .onStoreFailure(OnStoreFailure.DENY);
        RateLimiter limiter = sluice.limiter(strict.build());
        assertThatThrownBy(() -> limiter.tryAcquire("k"))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("OOM");
      }
    }
  }
}
