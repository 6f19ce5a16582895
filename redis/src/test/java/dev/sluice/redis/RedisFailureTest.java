package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Plan;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.RedisFailure.Remedy;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.FakeRedis;
import io.lettuce.core.RedisConnectionException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every class of error, in the words of 6.2, 7 and Valkey, is mapped on purpose. */
class RedisFailureTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "NOSCRIPT    | NOSCRIPT No matching script. Please use EVAL.",
        "TRYAGAIN    | TRYAGAIN Multiple keys request during rehashing of slot",
        "ASK         | ASK 3999 127.0.0.1:6381",
        "MOVED       | MOVED 3999 127.0.0.1:6381",
        "READONLY    | READONLY You can't write against a read only replica.",
        "READONLY    | READONLY You can't write against a read only replica. script: 9b1, on @user_script:1.",
        "READONLY    | ERR Error running script (call to f_9b1): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
        "MASTERDOWN  | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "LOADING     | LOADING Redis is loading the dataset in memory",
        "LOADING     | LOADING Valkey is loading the dataset in memory",
        "CLUSTERDOWN | CLUSTERDOWN The cluster is down",
        "CLUSTERDOWN | CLUSTERDOWN Hash slot not served",
        "NOREPLICAS  | NOREPLICAS Not enough good replicas to write.",
        "NOREPLICAS  | ERR Error running script (call to f_9b1): @user_script:1: @user_script: 1: -NOREPLICAS Not enough good replicas to write.",
        "MISCONF     | MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
        "MISCONF     | ERR Error running script (call to f_9b1): @user_script:1: @user_script: 1: -MISCONF Redis is configured to save RDB snapshots",
        "BUSY        | BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
        "BUSY        | BUSY Valkey is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
        "OOM         | OOM command not allowed when used memory > 'maxmemory'.",
        "OOM         | OOM command not allowed when used memory > 'maxmemory'. script: 9b1, on @user_script:1.",
        "OOM         | ERR Error running script (call to f_9b1): @user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.",
        "NOAUTH      | NOAUTH Authentication required.",
        "WRONGPASS   | WRONGPASS invalid username-password pair or user is disabled.",
        "WRONGPASS   | ERR invalid password",
        "WRONGPASS   | ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
        "WRONGPASS   | ERR Client sent AUTH, but no password is set",
        "DATABASE    | ERR DB index is out of range",
        "NOPERM      | NOPERM this user has no permissions to run the 'evalsha' command",
        "NOPERM      | NOPERM User lim has no permissions to run the 'evalsha' command",
        "NOPERM      | NOPERM this user has no permissions to access one of the keys used as arguments",
        "NOPERM      | ERR The user executing the script can't run this command or subcommand script: 9b1, on @user_script:1.",
        "NOPERM      | ERR ACL failure in script: User u has no permissions to run the 'zadd' command script: 9b1, on @user_script:1.",
        "NOPERM      | ERR Error running script (call to f_9b1): @user_script:1: -NOPERM The user executing the script can't run this command or subcommand",
        "DENIED      | DENIED Redis is running in protected mode because protected mode is enabled",
        "CROSSSLOT   | CROSSSLOT Keys in request don't hash to the same slot",
        "WRONGTYPE   | WRONGTYPE Operation against a key holding the wrong kind of value",
        "EXECABORT   | EXECABORT Transaction discarded because of previous errors.",
        "UNKILLABLE  | UNKILLABLE Sorry the script already executed write commands against the dataset.",
        "UNREACHABLE | ERR max number of clients reached",
        "ERR         | ERR Error running script (call to f_9b1): @user_script:3: attempt to index a nil value",
        "ERR         | ERR Error compiling script (new function): user_script:1: '=' expected",
        "ERR         | ERR unknown command 'EVALSHA'",
        "ERR         | TIMEOUT is no word of Redis, so it must not be taken for ours",
        "ERR         | something without a token",
      })
  void errorReplyIsKnownByItsFirstToken(RedisFailure failure, String text) {
    assertThat(RedisFailure.ofReply(text)).isEqualTo(failure);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "loading     | LOADING Redis is loading the dataset in memory",
        "masterdown  | MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "clusterdown | CLUSTERDOWN The cluster is down",
        "noreplicas  | NOREPLICAS Not enough good replicas to write.",
        "busy        | BUSY Valkey is busy running a script.",
        "oom         | OOM command not allowed when used memory > 'maxmemory'.",
        "noauth      | NOAUTH Authentication required.",
        "noperm      | NOPERM this user has no permissions to run the 'evalsha' command",
        "readonly    | READONLY You can't write against a read only replica.",
        "moved       | MOVED 3999 127.0.0.1:1",
        "misconf     | MISCONF Redis is configured to save RDB snapshots",
        "crossslot   | CROSSSLOT Keys in request don't hash to the same slot",
        "err         | ERR user_script:3: attempt to index a nil value",
      })
  void errorReplyIsAFailureAndNeverADenial(String reason, String text) {
    try (FakeRedis fake = FakeRedis.start();
        Sluice sluice = Sluice.of(Stores.patient(fake.uri()))) {
      RateLimiter limiter = limiter(sluice);
      fake.answer("EVALSHA", "-" + text);
      assertThatThrownBy(() -> limiter.tryAcquire("k"))
          .isInstanceOfSatisfying(
              StoreUnavailableException.class,
              failure -> assertThat(failure.reason()).isEqualTo(reason))
          .hasMessage("redis: no decision for policy 'test': " + text);
    }
  }

  private static RateLimiter limiter(Sluice sluice) {
    return limiter(sluice, Limit.slidingLog(5, Duration.ofHours(1)));
  }

  private static RateLimiter limiter(Sluice sluice, Limit limit) {
    return sluice.limiter(
        Policy.named("test").limits(List.of(limit)).onStoreFailure(OnStoreFailure.DENY).build());
  }

  @Test
  void missingScriptIsSentOnceWithItsSource() {
    try (FakeRedis fake =
            FakeRedis.start()
                .answer("EVALSHA", "-NOSCRIPT No matching script.")
                .answer("EVAL", "-NOSCRIPT No matching script.");
        Sluice sluice = Sluice.of(Stores.patient(fake.uri()))) {
      RateLimiter limiter = limiter(sluice);
      long before = scriptCalls(fake);
      assertThatThrownBy(() -> limiter.tryAcquire("k"))
          .hasMessage("redis: no decision for policy 'test': NOSCRIPT No matching script.");
      assertThat(scriptCalls(fake) - before).isEqualTo(2);
    }
  }

  @Test
  void callThatCertainlyDidNotRunIsSentAgainInsideTheDeadline() {
    try (FakeRedis fake = FakeRedis.start().answer("EVALSHA", "-TRYAGAIN Multiple keys request");
        Sluice sluice = Sluice.of(Stores.withDeadline(fake.uri(), Duration.ofMillis(200)))) {
      RateLimiter limiter = limiter(sluice);
      long before = scriptCalls(fake);
      assertThatThrownBy(() -> limiter.tryAcquire("k"))
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(scriptCalls(fake) - before).isGreaterThan(2);
    }
  }

  @Test
  void nodesOfAClusterThatDisagreeAreAskedAgainInsideTheDeadline() {
    try (FakeRedis fake = FakeRedis.start()) {
      String self = "$9\r\n127.0.0.1\r\n:%d\r\n$1\r\nx".formatted(fake.port());
      fake.answer("CLUSTER SLOTS", "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n" + self)
          .answer("EVALSHA", "-MOVED 1 127.0.0.1:" + fake.port());
      String uri = "redis-cluster://127.0.0.1:" + fake.port();
      try (Sluice sluice = Sluice.of(Stores.withDeadline(uri, Duration.ofSeconds(1)))) {
        RateLimiter limiter = limiter(sluice);
        long before = scriptCalls(fake);
        assertThatThrownBy(() -> limiter.tryAcquire("k"))
            .isInstanceOf(StoreUnavailableException.class);
        assertThat(scriptCalls(fake) - before).isGreaterThan(20);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"READONLY", "MOVED", "MASTERDOWN", "NOREPLICAS"})
  void connectionToTheWrongServerIsClosedAndMadeAnew(String token) {
    try (FakeRedis fake = FakeRedis.start().answer("EVALSHA", "-" + token + " wrong server");
        Sluice sluice = Sluice.of(Stores.patient(fake.uri()))) {
      RateLimiter limiter = limiter(sluice);
      long before = connections(fake);
      assertThatThrownBy(() -> limiter.tryAcquire("k"))
          .isInstanceOf(StoreUnavailableException.class);
      Await.until(Stores.PATIENCE, () -> connections(fake) > before, "it has connected once more");
    }
  }

  @Test
  void fullMemoryDoesNotOpenTheBreaker() {
    try (FakeRedis fake =
            FakeRedis.start().answer("EVALSHA", "-OOM command not allowed when used memory");
        RedisStore store = Stores.patient(fake.uri());
        Sluice sluice = Sluice.of(store)) {
      RateLimiter limiter = limiter(sluice);
      for (int i = 0; i < 20; i++) {
        assertThatThrownBy(() -> limiter.tryAcquire("k"))
            .hasMessageContaining("OOM command not allowed");
      }
      assertThat(store.health().breaker()).isEqualTo(BreakerState.CLOSED);
    }
  }

  // Nothing of what scripts say, too few numbers, and nothing taken of a bucket that is full.
  @ParameterizedTest
  @ValueSource(
      strings = {
        "*3\r\n:1\r\n+x\r\n:2",
        "$9\r\nsome text",
        "$32\r\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      })
  void replyThatMakesNoSenseIsAFailure(String reply) {
    try (FakeRedis fake = FakeRedis.start().answer("EVALSHA", reply);
        Sluice sluice = Sluice.of(Stores.patient(fake.uri()))) {
      RateLimiter limiter = limiter(sluice, Limit.tokenBucket(5, Duration.ofHours(1)));
      assertThatThrownBy(() -> limiter.tryAcquire("k"))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessage("redis: no decision for policy 'test': the reply makes no sense");
    }
  }

  /** Where a reply of this length asks for another call, as of calendar windows. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "+a\r\n+b",
        // A clock and windows to book ahead with which no calendar ends.
        ":9223372036854775807\r\n:0",
        ":-1\r\n:0",
        ":1767225600000000\r\n:9223372036854775807"
      })
  void undecidedReplyThatMakesNoSenseIsAFailure(String reply) {
    Limit daily = Limit.calendarWindow(5, CalendarUnit.DAY, ZoneOffset.UTC);
    Plan plan = Plans.of("test", daily);
    List<Request> both = List.of(Request.acquire(plan, "a", 1), Request.acquire(plan, "b", 1));
    String text = "redis: no decision for policy 'test': the reply makes no sense";
    try (FakeRedis fake = FakeRedis.start().answer("EVALSHA", "*2\r\n" + reply);
        RedisStore store = Stores.patient(fake.uri())) {
      assertThatThrownBy(() -> store.decideTogether(both))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessage(text);
      assertThat(store.decideTogetherAsync(both))
          .failsWithin(Stores.PATIENCE)
          .withThrowableOfType(ExecutionException.class)
          .havingCause()
          .isInstanceOf(StoreUnavailableException.class)
          .withMessage(text);
    }
  }

  private static long scriptCalls(FakeRedis fake) {
    return fake.commands().stream().filter(words -> words.get(0).startsWith("EVAL")).count();
  }

  private static long connections(FakeRedis fake) {
    return fake.commands().stream().filter(words -> words.get(0).equals("PING")).count();
  }

  @ParameterizedTest
  @EnumSource
  void everyClassIsInTheManual(RedisFailure failure) throws IOException {
    String manual = Files.readString(Path.of("..", "docs", "redis.md"));
    String what =
        switch (failure.remedy()) {
          case SEND_SOURCE -> "source sent";
          case RETRY -> "sent again";
          case RECONNECT -> "reconnect";
          case POLICY -> "policy";
          case CONFIGURATION -> "configuration";
        };
    assertThat(manual.lines().filter(line -> line.startsWith("| `" + failure.reason() + "` |")))
        .singleElement()
        .asString()
        .contains("| " + what + " |");
  }

  @Test
  void onlyWhatCertainlyDidNotRunIsSentAgain() {
    assertThat(RedisFailure.values())
        .filteredOn(f -> f.remedy() == Remedy.RETRY || f.remedy() == Remedy.SEND_SOURCE)
        .containsExactly(RedisFailure.NOSCRIPT, RedisFailure.TRYAGAIN, RedisFailure.ASK);
  }

  @Test
  void connectionThatIsNotMadeSaysWhy() {
    Throwable refused =
        new RedisConnectionException(
            "Unable to connect to 127.0.0.1/<unresolved>:6379",
            new ConnectException("finishConnect(..) failed with error(-111): Connection refused"));
    assertThat(LettuceCall.of(refused, RedisFailure.UNREACHABLE)).hasMessage("Connection refused");
    assertThat(LettuceCall.of(new TimeoutException(), RedisFailure.UNREACHABLE))
        .hasMessage("TimeoutException");
    assertThat(LettuceCall.of(null, RedisFailure.UNREACHABLE)).hasMessage("not connected");
  }
}
