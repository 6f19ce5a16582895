package dev.sluice.server.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.server.config.ConfigNode;
import dev.sluice.server.config.ConfigProblem;
import dev.sluice.server.config.PolicyReader;
import dev.sluice.server.config.Problems;
import dev.sluice.testkit.FakeClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CL.THROTTLE against what redis-cell answers. */
class ThrottleTest {
  private final FakeClock clock = new FakeClock();
  private RespServer server;
  private Wire wire;

  @BeforeEach
  void start() throws IOException {
    Sluice sluice = Sluice.of(new InMemoryStore(clock, 100_000));
    server = new RespServer(sluice, RespOptions.on("127.0.0.1", 0).inMemory(true));
    wire = new Wire(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    wire.close();
    server.close();
  }

  private String throttle(String words) throws IOException {
    return wire.ask(("CL.THROTTLE " + words).split(" ", -1));
  }

  @Test
  void burstIsTakenOneByOneAndTheNextIsToldToWait() throws IOException {
    assertThat(throttle("k 15 30 60")).isEqualTo("[0, 16, 15, -1, 2]");
    assertThat(throttle("k 15 30 60")).isEqualTo("[0, 16, 14, -1, 4]");
    for (int i = 0; i < 14; i++) {
      throttle("k 15 30 60");
    }
    assertThat(throttle("k 15 30 60")).isEqualTo("[1, 16, 0, 2, 32]");
  }

  @Test
  void quantityAboveTheLimitNeverPassesAndTakesNothing() throws IOException {
    assertThat(throttle("k 15 30 60 17")).isEqualTo("[1, 16, 16, -1, 0]");
    throttle("k 15 30 60 3");
    assertThat(throttle("k 15 30 60 17")).isEqualTo("[1, 16, 13, -1, 6]");
  }

  /** A connection remembers the last limit by its words. */
  @Test
  void limitsAreToldApartHoweverAlikeTheyAreSent() throws IOException {
    assertThat(throttle("k 12 3 60")).isEqualTo("[0, 13, 12, -1, 20]");
    assertThat(throttle("k 12 3 60")).isEqualTo("[0, 13, 11, -1, 40]");
    assertThat(throttle("other 12 3 60")).isEqualTo("[0, 13, 12, -1, 20]");
    assertThat(throttle("k 1 23 60")).startsWith("[1, 2,");
    assertThat(throttle("third 12 3 60 1")).isEqualTo("[0, 13, 12, -1, 20]");
    assertThat(throttle("third 12 3 60 2")).isEqualTo("[0, 13, 10, -1, 60]");
    assertThat(throttle("third 12 3 60 14")).isEqualTo("[1, 13, 10, -1, 60]");
    assertThat(throttle("third 12 3 60 0")).isEqualTo("[0, 13, 10, -1, 60]");
    assertThat(throttle("third 12 3 60 x")).isEqualTo("-Cell error: Couldn't parse as integer: x");
    assertThat(throttle("third 12 3")).startsWith("-ERR wrong number of arguments");
    assertThat(throttle("third 12 3 60")).isEqualTo("[0, 13, 9, -1, 80]");
    // The same bytes behind the key's length, but for where they are cut.
    assertThat(throttle("k 12 3 60 0")).startsWith("[0, 13,");
    assertThat(wire.ask("CL.THROTTLE", "k", "12\r\n$1\r\n3", "60", "0"))
        .isEqualTo("-Cell error: Couldn't parse as integer: 12  $1  3");
    assertThat(wire.send("CL.THROTTLE inline 12 3 60\r\n").reply())
        .isEqualTo("[0, 13, 12, -1, 20]");
    assertThat(wire.send("CL.THROTTLE inline 1 23 60\r\n").reply()).isEqualTo("[0, 2, 0, -1, 6]");
    assertThat(wire.send("CL.THROTTLE inline 12 3 60\r\n").reply())
        .isEqualTo("[0, 13, 10, -1, 60]");
  }

  @Test
  void quantityZeroOnlyLooks() throws IOException {
    assertThat(throttle("k 15 30 60 0")).isEqualTo("[0, 16, 16, -1, 0]");
    throttle("k 15 30 60 16");
    assertThat(throttle("k 15 30 60 0")).isEqualTo("[0, 16, 0, -1, 32]");
  }

  @Test
  void burstIsExactAtFiftyThousandASecond() throws IOException {
    for (int left = 15; left >= 0; left--) {
      assertThat(throttle("k 15 50000 1")).isEqualTo("[0, 16, %d, -1, 1]".formatted(left));
    }
    assertThat(throttle("k 15 50000 1")).isEqualTo("[1, 16, 0, 1, 1]");
    clock.advanceMicros(19);
    assertThat(throttle("k 15 50000 1")).isEqualTo("[1, 16, 0, 1, 1]");
    clock.advanceMicros(1);
    assertThat(throttle("k 15 50000 1")).isEqualTo("[0, 16, 0, -1, 1]");
    assertThat(throttle("other 15 50000 1 17")).isEqualTo("[1, 16, 16, -1, 0]");
  }

  /** The cases of redis-cell's own test, which counts 5 with one back each second. */
  @Test
  void timePassesAsInRedisCell() throws IOException {
    assertThat(throttle("k 4 1 1 6")).isEqualTo("[1, 5, 5, -1, 0]");
    for (int left = 4; left >= 0; left--) {
      assertThat(throttle("k 4 1 1")).isEqualTo("[0, 5, %d, -1, %d]".formatted(left, 5 - left));
    }
    assertThat(throttle("k 4 1 1")).isEqualTo("[1, 5, 0, 1, 5]");
    clock.advance(Duration.ofSeconds(3));
    assertThat(throttle("k 4 1 1")).isEqualTo("[0, 5, 2, -1, 3]");
    clock.advance(Duration.ofMillis(100));
    assertThat(throttle("k 4 1 1")).isEqualTo("[0, 5, 1, -1, 4]");
    clock.advance(Duration.ofMillis(900));
    assertThat(throttle("k 4 1 1")).isEqualTo("[0, 5, 1, -1, 4]");
    clock.advance(Duration.ofSeconds(4));
    assertThat(throttle("k 4 1 1")).isEqualTo("[0, 5, 4, -1, 1]");
    clock.advance(Duration.ofMillis(1_500));
    assertThat(throttle("k 4 1 1")).isEqualTo("[0, 5, 4, -1, 1]");
    assertThat(throttle("k 4 1 1 0")).isEqualTo("[0, 5, 4, -1, 1]");
    assertThat(throttle("k 4 1 1 2")).isEqualTo("[0, 5, 2, -1, 3]");
    assertThat(throttle("k 4 1 1 5")).isEqualTo("[1, 5, 2, 3, 3]");
  }

  @ParameterizedTest
  @CsvSource({"50000, 1", "1000000, 1", "7, 3", "1, 86400", "999983, 10"})
  void admittedIsExactlyBurstPlusRate(long count, long period) throws IOException {
    String limit = "k 9 %d %d".formatted(count, period);
    long periodMicros = period * 1_000_000;
    long asked = 2_000;
    // Four times as often as is allowed.
    long step = Math.max(1, periodMicros / count / 4);
    long admitted = 0;
    for (long i = 0; i < asked; i++) {
      if (i > 0) {
        clock.advanceMicros(step);
      }
      admitted += throttle(limit).startsWith("[0,") ? 1 : 0;
    }
    long elapsed = (asked - 1) * step;
    assertThat(admitted).isEqualTo(Math.min(asked, 10 + elapsed * count / periodMicros));
  }

  @Test
  void limitsMayChangeWithEveryCallAndKeepWhatWasUsed() throws IOException {
    assertThat(throttle("k 9 10 1 6")).isEqualTo("[0, 10, 4, -1, 1]");
    assertThat(throttle("k 19 10 1 4")).isEqualTo("[0, 20, 10, -1, 1]");
    assertThat(throttle("k 4 10 1")).startsWith("[1, 5, 0, 1,");
  }

  @Test
  void manyLimitsDoNotFreeAnExhaustedKey() throws IOException {
    throttle("slow 0 1 86400");
    for (int i = 1; i <= 3_000; i++) {
      throttle("fast%d 0 %d 1".formatted(i, i));
      clock.advanceMicros(10_000);
    }
    assertThat(throttle("slow 0 1 86400")).startsWith("[1, 1, 0,");
  }

  @Test
  void delForgetsKeysAndTellsHowMany() throws IOException {
    throttle("a 0 1 60");
    throttle("b 0 1 60");
    assertThat(wire.ask("DEL", "a", "b", "c")).isEqualTo("2");
    assertThat(throttle("a 0 1 60")).isEqualTo("[0, 1, 0, -1, 60]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "k x 30 60     | -Cell error: Couldn't parse as integer: x",
        "k 15 30 60 1.5 | -Cell error: Couldn't parse as integer: 1.5",
        "k 15 30 99999999999999999999 | -Cell error: Couldn't parse as integer:"
            + " 99999999999999999999",
        "k 15 0 60     | -Cell error: Zero rates are not supported",
        "k 15 30 0     | -Cell error: Zero rates are not supported",
        "k 15 30 60 -1 | -Cell error: quantity must be at least 0, got -1",
        "k -1 30 60    | -Cell error: max_burst must be from 0 to 1099511627775, got -1",
        "k 15 30 -60   | -Cell error: period must be from 1 to 315619200 seconds, got -60",
        "k 15 30 9223372036854775807 | -Cell error: period must be from 1 to 315619200 seconds,"
            + " got 9223372036854775807",
        "k 15 -30 60   | -Cell error: count must be from 1 to 1099511627776, got -30",
        "k 15 9223372036854775807 60 | -Cell error: count must be from 1 to 1099511627776, got"
            + " 9223372036854775807",
        "k 9223372036854775807 30 60 | -Cell error: max_burst must be from 0 to 1099511627775, got"
            + " 9223372036854775807",
        "k 15 30 60 9223372036854775807 | [1, 16, 16, -1, 0]",
        "k 15          | -ERR wrong number of arguments for 'cl.throttle' command",
        "k 1 1 1 1 1   | -ERR wrong number of arguments for 'cl.throttle' command"
      })
  void mistakesAreTold(String words, String error) throws IOException {
    assertThat(throttle(words)).isEqualTo(error);
  }

  @Test
  void noPolicyOfAFileCanHaveItsName() {
    Problems problems = new Problems();
    Object words = Map.of(ThrottleCommands.POLICY, Map.of("limits", List.of("10/s")));
    assertThat(new PolicyReader(problems, null).policies(ConfigNode.of(words))).isEmpty();
    assertThat(problems.sorted())
        .containsExactly(
            new ConfigProblem(
                0, "policy name must not be cl.throttle, where CL.THROTTLE has its keys"));
  }
}
