package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Reservation;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.Resp;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything works under the least ACL, nothing else does, and what is missing is named. */
class AclTest {
  private static final Duration HOUR = Duration.ofHours(1);

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  private static RedisServer serverWith(RedisBinary binary, String rules) {
    return RedisServer.on(binary).user("sluice", "on >secret " + rules).start();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyAlgorithmAndOperationWorksUnderIt(RedisBinary binary) {
    try (RedisServer server = serverWith(binary, Acl.rules());
        RedisStore store = Stores.patient(server.uri("sluice", "secret"));
        Sluice sluice = Sluice.of(store)) {
      RateLimiter limiter =
          sluice.limiter(
              "api",
              Limit.tokenBucket(10, HOUR),
              Limit.fixedWindow(10, HOUR),
              Limit.slidingLog(10, HOUR),
              Limit.slidingWindow(10, HOUR).precision(Duration.ofMinutes(1)),
              Limit.leakyBucket(10, Duration.ofMillis(1)).queue(10),
              Limit.concurrency(10));
      assertThat(limiter.tryAcquire("k", 2).lease()).hasValueSatisfying(sluice::release);
      assertThat(limiter.peek("k").allowed()).isTrue();
      assertThat(limiter.force("k", 3).allowed()).isTrue();
      assertThat(limiter.refund("k", 1).degraded()).isFalse();
      Reservation reservation = limiter.reserve("k", 2, HOUR, HOUR);
      assertThat(limiter.commit(reservation.id(), 1)).isTrue();
      assertThat(limiter.reset("k").degraded()).isFalse();
      assertThat(store.health().warnings()).noneMatch(text -> text.contains("INFO"));
      assertThat(refused(server)).as("what was refused").isSubsetOf("config", "config|get");
    }
  }

  private static Set<String> refused(RedisServer server) {
    return Resp.asList(server.command("ACL", "LOG")).stream()
        .map(Resp::asList)
        .map(entry -> entry.get(entry.indexOf("object") + 1).toString())
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "FLUSHALL",
        "KEYS *",
        "SCRIPT FLUSH",
        "CONFIG GET save",
        "SCAN 0",
        "GET other",
        "SET other 1"
      })
  void nothingElseIsAllowed(String command) {
    try (RedisServer server = serverWith(RedisBinary.bundled(), Acl.rules());
        Resp resp = Resp.connect(server.port(), StandardCharsets.UTF_8)) {
      resp.command("AUTH", "sluice", "secret");
      assertThatThrownBy(() -> resp.command(command.split(" ", -1))).hasMessageContaining("NOPERM");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void missingCommandsAreNamed(RedisBinary binary) {
    try (RedisServer server = serverWith(binary, Acl.rules() + " -zadd -pexpire")) {
      assertThatThrownBy(() -> Stores.patient(server.uri("sluice", "secret")))
          .isInstanceOf(StoreConfigurationException.class)
          .hasMessage(
              "redis: redis://sluice:***@127.0.0.1:%d: the user may not run PEXPIRE, ZADD inside"
                      .formatted(server.port())
                  + " scripts; 'sluice acl' prints what is needed");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void missingScriptingIsNamed(RedisBinary binary) {
    try (RedisServer server = serverWith(binary, Acl.rules() + " -evalsha -eval")) {
      assertThatThrownBy(() -> Stores.patient(server.uri("sluice", "secret")))
          .isInstanceOf(StoreConfigurationException.class)
          .hasMessage(
              "redis: redis://sluice:***@127.0.0.1:%d: the user may not run EVALSHA; 'sluice acl'"
                      .formatted(server.port())
                  + " prints what is needed; the user may not run EVAL on keys sl:*; 'sluice acl'"
                  + " prints what is needed");
    }
  }

  @Test
  void theCheckLeavesNothingBehind() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        RedisStore store = Stores.patient(server.uri())) {
      assertThat(store.ready()).isTrue();
      assertThat(server.command("DBSIZE")).isEqualTo(0L);
    }
  }

  @Test
  void theCheckKnowsHowToAskForEveryCommand() {
    assertThat(StartupCheck.probed()).containsAll(Scripts.COMMANDS);
  }

  @Test
  void isOneCommandToPaste() {
    assertThat(Acl.least())
        .startsWith(
            "ACL SETUSER sluice on >CHANGE-THIS-PASSWORD resetkeys ~sl:* resetchannels -@all ")
        .doesNotContain("\n");
  }
}
