package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Request.Mode;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Scripts and reference answer alike, field by field, whatever happens to a key: each test walks
 * seeded histories of which some 250,000 steps are taken in all. A difference names its seed.
 */
class TwinTest {
  private static final int STEPS = 400;
  private static final int HISTORIES = 8;

  private static RedisServer server;
  private static Twin twin;

  @BeforeAll
  static void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
    twin = new Twin(server);
  }

  @AfterAll
  static void stop() {
    twin.close();
    server.close();
  }

  static List<TwinCase> tokenBuckets() {
    return TwinCase.tokenBuckets();
  }

  @ParameterizedTest
  @MethodSource("tokenBuckets")
  void tokenBucket(TwinCase plans) {
    walk(plans, HISTORIES);
  }

  static List<TwinCase> fixedWindows() {
    return TwinCase.fixedWindows();
  }

  @ParameterizedTest
  @MethodSource("fixedWindows")
  void fixedWindow(TwinCase plans) {
    walk(plans, HISTORIES);
  }

  static List<TwinCase> calendarWindows() {
    return TwinCase.calendarWindows();
  }

  /** One round trip after the other: a reply may ask for more of the calendar. */
  @ParameterizedTest
  @MethodSource("calendarWindows")
  void calendarWindow(TwinCase plans) {
    walk(plans, HISTORIES / 2);
  }

  static List<TwinCase> slidingLogs() {
    return TwinCase.slidingLogs();
  }

  @ParameterizedTest
  @MethodSource("slidingLogs")
  void slidingLog(TwinCase plans) {
    walk(plans, HISTORIES);
  }

  static List<TwinCase> slidingWindows() {
    return TwinCase.slidingWindows();
  }

  @ParameterizedTest
  @MethodSource("slidingWindows")
  void slidingWindow(TwinCase plans) {
    walk(plans, HISTORIES);
  }

  static List<TwinCase> leakyBuckets() {
    return TwinCase.leakyBuckets();
  }

  @ParameterizedTest
  @MethodSource("leakyBuckets")
  void leakyBucket(TwinCase plans) {
    walk(plans, HISTORIES);
  }

  static List<TwinCase> concurrency() {
    return TwinCase.concurrency();
  }

  @ParameterizedTest
  @MethodSource("concurrency")
  void concurrency(TwinCase plans) {
    walk(plans, HISTORIES);
  }

  static List<TwinCase> mixed() {
    return TwinCase.mixed();
  }

  @ParameterizedTest
  @MethodSource("mixed")
  void mixedPolicies(TwinCase plans) {
    walk(plans, 2 * HISTORIES);
  }

  private static void walk(TwinCase plans, int histories) {
    for (Set<Mode> modes : List.of(EnumSet.of(Mode.ACQUIRE), EnumSet.allOf(Mode.class))) {
      for (int seed = 0; seed < histories; seed++) {
        assertThat(twin.firstDifference(seed, plans.plans(), modes, STEPS)).isNull();
      }
    }
  }
}
