package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.redis.testkit.FakeRedis;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StartupCheckTest {
  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @Test
  void refusesAServerOf32Bits() {
    try (FakeRedis fake = FakeRedis.start().answer("INFO", "$14\r\narch_bits:32\r\n\r\n")) {
      assertThatThrownBy(() -> Stores.patient(fake.uri()))
          .isInstanceOf(StoreConfigurationException.class)
          .hasMessage(
              "redis: %s: must be a server of 64 bits, got one of 32".formatted(fake.uri()));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void tellsWhatTheServerIs(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).appendOnly("everysec").start();
        RedisStore store = Stores.patient(server.uri())) {
      assertThat(store.health())
          .isEqualTo(new RedisHealth(true, binary.toString(), BreakerState.CLOSED, 0, List.of()));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void warnsOfAServerThatForgets(RedisBinary binary) {
    try (RedisServer server =
            RedisServer.on(binary)
                .line("maxmemory 100mb")
                .line("maxmemory-policy allkeys-lru")
                .start();
        RedisStore store = Stores.patient(server.uri())) {
      assertThat(store.health().warnings())
          .containsExactly(
              "maxmemory-policy is allkeys-lru: keys in use can be forgotten, which lifts limits;"
                  + " set noeviction",
              "neither appendonly nor save is on: a restart forgets what was used");
    }
  }

  @Test
  void snapshotsAreEnough() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).line("save 60 1").start();
        RedisStore store = Stores.patient(server.uri())) {
      assertThat(store.health().warnings()).isEmpty();
    }
  }

  @Test
  void saysWhatTheLeastAclHides() {
    try (RedisServer server =
            RedisServer.on(RedisBinary.bundled())
                .user("sluice", "on >secret " + Acl.rules())
                .line("maxmemory-policy volatile-ttl")
                .start();
        RedisStore store = Stores.patient(server.uri("sluice", "secret"))) {
      assertThat(store.health().warnings())
          .containsExactly(
              "maxmemory-policy is volatile-ttl: keys in use can be forgotten, which lifts limits;"
                  + " set noeviction",
              "appendonly is off and the user may not read 'save': unless snapshots are on,"
                  + " a restart forgets what was used");
    }
  }

  @Test
  void warnsOfAReplica() {
    try (RedisServer primary = RedisServer.on(RedisBinary.bundled()).start();
        RedisServer replica =
            RedisServer.on(RedisBinary.bundled())
                .line("replicaof 127.0.0.1 " + primary.port())
                .start();
        RedisStore store = Stores.patient(replica.uri())) {
      assertThat(store.health().warnings())
          .contains("the server is a replica: it decides nothing until it becomes the primary");
    }
  }

  @Test
  void refusesAServerThatIsTooOld() {
    try (FakeRedis fake = FakeRedis.start().answer("INFO", "$22\r\nredis_version:6.0.16\r\n\r\n")) {
      assertThatThrownBy(() -> Stores.patient(fake.uri()))
          .isInstanceOf(StoreConfigurationException.class)
          .hasMessage(
              "redis: %s: must be Redis 6.2 or newer, or Valkey, got redis 6.0.16"
                  .formatted(fake.uri()));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void refusesWrongCredentialsInOneLineWithoutThem(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).password("right").start()) {
      String wrong = "redis://:canary@127.0.0.1:" + server.port();
      assertThatThrownBy(() -> Stores.patient(wrong))
          .isInstanceOf(StoreConfigurationException.class)
          .hasMessageStartingWith(
              "redis: redis://:***@127.0.0.1:%d: WRONGPASS".formatted(server.port()))
          .satisfies(StartupCheckTest::hasNoCanary);
      String without = "redis://127.0.0.1:" + server.port();
      assertThatThrownBy(() -> Stores.patient(without))
          .isInstanceOf(StoreConfigurationException.class)
          .hasMessage("redis: %s: NOAUTH Authentication required.".formatted(without));
    }
  }

  /** Where many start at once Lettuce tells of a refusal in several ways. */
  @Test
  void refusesAMissingPasswordHoweverItIsTold() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).password("right").start()) {
      String without = "redis://127.0.0.1:" + server.port();
      IntStream.range(0, 200)
          .parallel()
          .forEach(
              i ->
                  assertThatThrownBy(() -> Stores.patient(without))
                      .isInstanceOf(StoreConfigurationException.class)
                      .hasMessage("redis: %s: NOAUTH Authentication required.".formatted(without)));
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void refusesAPasswordThatTheServerDoesNotHaveInOneLineWithoutIt(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).start()) {
      String wrong = "redis://:canary@127.0.0.1:" + server.port();
      assertThatThrownBy(() -> Stores.patient(wrong))
          .isInstanceOf(StoreConfigurationException.class)
          .hasMessage(
              ("redis: redis://:***@127.0.0.1:%d: ERR AUTH <password> called without any password"
                      + " configured for the default user. Are you sure your configuration is"
                      + " correct?")
                  .formatted(server.port()))
          .satisfies(StartupCheckTest::hasNoCanary);
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void refusesADatabaseThatTheServerDoesNotHave(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).start()) {
      String beyond = "redis://127.0.0.1:%d/99".formatted(server.port());
      assertThatThrownBy(() -> Stores.patient(beyond))
          .isInstanceOf(StoreConfigurationException.class)
          .hasMessage("redis: %s: ERR DB index is out of range".formatted(beyond));
    }
  }

  private static void hasNoCanary(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      assertThat(String.valueOf(cause)).doesNotContain("canary").doesNotContain("\n");
    }
  }

  @Test
  void passwordIsNowhereToBeSeen() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).password("canary").start();
        Sluice sluice = Sluice.redis(server.uri())) {
      assertThat(sluice.toString()).doesNotContain("canary");
      assertThat(sluice.store().toString()).doesNotContain("canary");
      assertThat(RedisOptions.defaults().withSentinelLogin("u", "canary").toString())
          .doesNotContain("canary");
    }
  }
}
