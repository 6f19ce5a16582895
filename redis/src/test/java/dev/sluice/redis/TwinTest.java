package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Request.Mode;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Scripts and reference answer alike, field by field, whatever happens to a key: each test walks
 * seeded histories, some 250,000 steps in all on the bundled server and a quarter of that on each
 * other. A difference names its seed.
 */
@ParameterizedClass
@MethodSource("servers")
class TwinTest {
  private static final int STEPS = 400;
  private static final int HISTORIES = 8;
  // A window that was given back while the clock was ahead.
  private static final long FAILED_ONCE = 24;

  private static RedisServer server;
  private static Twin twin;

  @Parameter RedisBinary binary;

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @BeforeParameterizedClassInvocation
  static void start(RedisBinary binary) {
    server = RedisServer.on(binary).start();
    twin = new Twin(server);
  }

  @AfterParameterizedClassInvocation
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

  static List<TwinCase> extremes() {
    return TwinCase.extremes();
  }

  @ParameterizedTest
  @MethodSource("extremes")
  void extremes(TwinCase plans) {
    walk(plans, HISTORIES / 2);
  }

  private void walk(TwinCase plans, int most) {
    int histories = binary.equals(RedisBinary.bundled()) ? most : most / 4;
    for (Set<Mode> modes : List.of(EnumSet.of(Mode.ACQUIRE), EnumSet.allOf(Mode.class))) {
      for (int seed = 0; seed < histories; seed++) {
        assertThat(twin.firstDifference(seed, plans.plans(), modes, STEPS)).isNull();
      }
      assertThat(twin.firstDifference(FAILED_ONCE, plans.plans(), modes, STEPS)).isNull();
    }
  }
}
