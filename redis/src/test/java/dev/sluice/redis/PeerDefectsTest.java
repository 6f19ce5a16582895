package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Request.Mode;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What went wrong elsewhere and can go wrong on a Redis server only; what can go wrong in any store
 * is in the contract of the stores. Time is the test's. Two of the others' ways are run as they
 * are, to show that these tests would have noticed.
 */
class PeerDefectsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  // Half a second past a whole one.
  private static final long START = 1_800_000_000_500_000L;
  private static final Store OWNER = new InMemoryStore();

  private static RedisServer server;
  private static Pipeline pipeline;

  @BeforeAll
  static void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
    pipeline = new Pipeline(server, UnaryOperator.identity());
  }

  @AfterAll
  static void stop() {
    pipeline.close();
    server.close();
  }

  @BeforeEach
  void empty() {
    pipeline.command("FLUSHALL");
  }

  @SuppressWarnings("unchecked") // the scripts answer with flat lists
  private static Decision ask(Plan plan, Mode mode, long cost, long atMicros) {
    List<Request> requests = List.of(new Request(plan, "k", cost, mode, 0, null, 0));
    Object reply = pipeline.run(List.of(Call.of(requests, OWNER, 0).at(atMicros))).get(0);
    assertThat(reply).isInstanceOf(List.class);
    return Reply.decode(requests, (List<Object>) reply).get(0);
  }

  /** How many of so many calls at one instant pass. */
  private static int admitted(Plan plan, int calls, long atMicros) {
    int admitted = 0;
    for (int i = 0; i < calls; i++) {
      admitted += ask(plan, Mode.ACQUIRE, 1, atMicros).allowed() ? 1 : 0;
    }
    return admitted;
  }

  private static long life() {
    List<?> keys = (List<?>) pipeline.command("KEYS", "*");
    assertThat(keys).hasSize(1);
    return (Long) pipeline.command("PTTL", keys.get(0).toString());
  }

  // redis-cell#50; Spring Cloud Gateway where the burst is below half the rate.
  @Test
  void highRatesAreLimitedToo() {
    assertThat(admitted(Plans.of("p", Limit.tokenBucket(1_000_000, SECOND).burst(10)), 20, START))
        .isEqualTo(10);
    assertThat(life()).isPositive();
  }

  // Spring Cloud Gateway reads whole seconds: 200 in 150 ms.
  @Test
  void tickOfTheSecondBringsNothingBack() {
    Plan plan = Plans.of("p", Limit.tokenBucket(100, SECOND));
    assertThat(admitted(plan, 150, START)).isEqualTo(100);
    assertThat(admitted(plan, 150, START + 600_000)).isEqualTo(60);
  }

  // Spring Cloud Gateway: 26 of 10.
  @Test
  void wobblingClockAdmitsNoMore() {
    for (Limit limit :
        List.of(
            Limit.tokenBucket(10, SECOND.multipliedBy(10)),
            Limit.fixedWindow(10, SECOND.multipliedBy(10)),
            Limit.counter(10, SECOND.multipliedBy(10)),
            Limit.slidingLog(10, SECOND.multipliedBy(10)),
            Limit.slidingWindow(10, SECOND.multipliedBy(10)))) {
      Plan plan = Plans.of("p", limit);
      int admitted = 0;
      for (int i = 0; i < 8; i++) {
        admitted += admitted(plan, 5, START + i * 100_000L - (i % 2 == 0 ? 0 : 8_000_000));
      }
      assertThat(admitted).as("%s", limit).isEqualTo(10);
      pipeline.command("FLUSHALL");
    }
  }

  /** The control of the test before: their way to keep time, as simple as can be. */
  @Test
  void clockThatIsWrittenBackWouldBeNoticed() {
    String theirs =
        """
        local at, tokens = tonumber(redis.call('HGET', KEYS[1], 'at') or ARGV[1]), 10
        tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or tokens)
        tokens = math.min(10, tokens + math.max(0, ARGV[1] - at))
        local allowed = tokens >= 1
        if allowed then tokens = tokens - 1 end
        redis.call('HSET', KEYS[1], 'at', ARGV[1], 'tokens', tokens)
        return allowed and 1 or 0
        """;
    long admitted = 0;
    for (int i = 0; i < 8; i++) {
      for (int call = 0; call < 5; call++) {
        String second = i % 2 == 0 ? "1800000000" : "1799999992";
        admitted += (Long) pipeline.command("EVAL", theirs, "1", "k", second);
      }
    }
    assertThat(admitted).isGreaterThan(10);
  }

  // A naive max(now, last).
  @Test
  void clockThatStepsBackAnHourBlocksNobodyForMoreThanTwoPeriods() {
    for (Limit limit :
        List.of(
            Limit.tokenBucket(5, SECOND),
            Limit.fixedWindow(5, SECOND),
            Limit.counter(5, SECOND),
            Limit.slidingLog(5, SECOND),
            Limit.slidingWindow(5, SECOND))) {
      Plan plan = Plans.of("p", limit);
      long earlier = START - 3_600_000_000L;
      assertThat(admitted(plan, 5, START)).isEqualTo(5);
      ask(plan, Mode.ACQUIRE, 1, earlier);
      assertThat(ask(plan, Mode.ACQUIRE, 1, earlier + 2_000_000).allowed())
          .as("%s", limit)
          .isTrue();
      pipeline.command("FLUSHALL");
    }
  }

  // Sorted sets with the time as member: hits of one instant are one.
  @Test
  void hitsOfOneInstantAllCount() {
    assertThat(admitted(Plans.of("p", Limit.slidingLog(5, SECOND)), 20, START)).isEqualTo(5);
  }

  // EXPIRE given other units than it takes.
  @Test
  void keysLiveAboutAsLongAsTheirLimit() {
    for (Limit limit :
        List.of(
            Limit.tokenBucket(1, Duration.ofHours(1)),
            Limit.counter(5, Duration.ofHours(1)),
            Limit.slidingLog(5, Duration.ofHours(1)),
            Limit.slidingWindow(5, Duration.ofHours(1)),
            Limit.leakyBucket(1, Duration.ofHours(1)),
            Limit.concurrency(5).lease(Duration.ofHours(1)))) {
      Plan plan = Plans.of("p", limit);
      List<Request> requests =
          List.of(new Request(plan, "k", 1, Mode.ACQUIRE, 0, plan.concurrent() ? "id" : null, 0));
      pipeline.run(List.of(Call.of(requests, OWNER, 0)));
      assertThat(life()).as("%s", limit).isBetween(3_590_000L, 2 * 3_600_000 + 60_000L);
      pipeline.command("FLUSHALL");
    }
  }

  // limits#169, redisson#2987: unpack fails above some 8000 elements.
  @Test
  void tensOfThousandsOfHitsCanBeGivenBackAtOnce() {
    int hits = 20_000;
    Plan plan = Plans.of("p", Limit.slidingLog(hits, Duration.ofHours(1)));
    Call call = Call.of(List.of(Request.acquire(plan, "k", 1)), OWNER, 0);
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < hits; i++) {
      calls.add(call.at(START + i));
    }
    pipeline.run(calls);
    assertThat(ask(plan, Mode.PEEK, 1, START + hits).remaining()).isZero();
    ask(plan, Mode.GIVE_BACK, hits - 1, START + hits);
    assertThat(ask(plan, Mode.PEEK, 1, START + hits).remaining()).isEqualTo(hits - 1);
  }

  // bucket4j#51.
  @Test
  void keyThatWasIdleForYearsHasItsCapacityAndNoMore() {
    Plan plan = Plans.of("p", Limit.tokenBucket(1_000_000, SECOND).burst(5));
    assertThat(admitted(plan, 9, START)).isEqualTo(5);
    assertThat(admitted(plan, 9, START + 50L * 366 * 86_400_000_000L)).isEqualTo(5);
  }

  /** A counter that is read and written in two steps admits both of two who ask at once. */
  @Test
  void readingAndWritingInTwoStepsWouldBeNoticed() throws Exception {
    int callers = 4;
    CyclicBarrier everybodyHasRead = new CyclicBarrier(callers);
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    List<Future<Boolean>> passed = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      passed.add(
          threads.submit(
              () -> {
                Object count = server.command("GET", "count");
                everybodyHasRead.await();
                server.command("SET", "count", "1");
                return count == null;
              }));
    }
    int theirs = 0;
    for (Future<Boolean> one : passed) {
      theirs += one.get() ? 1 : 0;
    }
    threads.shutdown();
    assertThat(theirs).isEqualTo(callers);
    assertThat(admitted(Plans.of("p", Limit.counter(1, SECOND)), callers, START)).isEqualTo(1);
  }
}
