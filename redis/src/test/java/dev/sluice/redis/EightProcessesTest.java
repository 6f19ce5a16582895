package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.Admissions.Admission;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Eight processes on one sliding log: never more than its permits in any window, whoever of them is
 * stopped or killed. Those that die come last. With {@code -Dseconds=60} for longer.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EightProcessesTest {
  private static final int PROCESSES = 8;
  private static final long PERMITS = 100;
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final Duration LONG = Duration.ofMinutes(1);

  private static Hammers hammers;

  @BeforeAll
  static void start() {
    hammers = new Hammers(PROCESSES);
  }

  @AfterAll
  static void stop() {
    hammers.close();
  }

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @Order(1)
  @ParameterizedTest
  @MethodSource("servers")
  void admitWhatIsAllowedAndNeverMore(RedisBinary binary) throws Exception {
    int seconds = Integer.getInteger("seconds", binary.equals(RedisBinary.bundled()) ? 10 : 3);
    try (RedisServer server = RedisServer.on(binary).start()) {
      hammers.open(server.uri());
      Admissions history = hammer(binary, PERMITS, 1, seconds);
      assertThat(history.mostByServerClock(1_000_000)).isEqualTo(PERMITS);
      assertThat(history.permits()).isGreaterThanOrEqualTo(PERMITS * seconds * 99 / 100);

      int less = Integer.getInteger("seconds", 2);
      hammer(binary, 1, 1, less);
      hammer(binary, 1_000_000, 5, less);
      // A denied request takes nothing, also where it is dearer than others.
      Admissions dear = hammer(binary, 7, 5, less);
      assertThat(dear.mostByServerClock(1_000_000)).isGreaterThanOrEqualTo(3);
    }
  }

  /** Both checks, of the server's clock and from outside. */
  private static Admissions hammer(RedisBinary binary, long permits, long mostCost, int seconds)
      throws InterruptedException {
    begin("k" + permits, permits, mostCost, seconds);
    Admissions history = hammers.awaitDone();
    long inside = history.mostByServerClock(1_000_000);
    long outside = history.mostSeenFromOutside(SECOND_NANOS);
    System.out.printf(
        "%s: %d processes on a sliding log of %d a second, costs up to %d, %d s: at most %d by"
            + " the server's clock, %d from outside, %d in all%n",
        binary, PROCESSES, permits, mostCost, seconds, inside, outside, history.permits());
    assertThat(inside).isLessThanOrEqualTo(permits);
    assertThat(outside).isLessThanOrEqualTo(permits);
    return history;
  }

  private static long begin(String key, long permits, long mostCost, int seconds) {
    long start = System.nanoTime() + SECOND_NANOS / 2;
    hammers.run(key, permits, mostCost, start, start + seconds * SECOND_NANOS);
    return start;
  }

  private static void awaitInstant(long nanos) {
    Await.until(LONG, () -> System.nanoTime() - nanos >= 0, "the instant has come");
  }

  @Order(2)
  @Test
  void processesThatAreStoppedOrKilledTakeNothingFromTheOthers() throws Exception {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      hammers.open(server.uri());
      long start = begin("k", PERMITS, 1, 6);
      awaitInstant(start + SECOND_NANOS);
      hammers.suspend();
      awaitInstant(start + 2 * SECOND_NANOS);
      hammers.kill9();
      hammers.kill9();
      awaitInstant(start + 4 * SECOND_NANOS);
      hammers.resume();
      Admissions history = hammers.awaitDone();
      assertThat(history.mostByServerClock(1_000_000)).isBetween(PERMITS - 3, PERMITS);
      assertThat(history.mostSeenFromOutside(SECOND_NANOS)).isLessThanOrEqualTo(PERMITS);
      // Each of the three had one call under way, whose admission nobody could use.
      assertThat(history.permits()).isGreaterThanOrEqualTo(PERMITS * 6 * 99 / 100 - 3);
    }
  }

  @Order(3)
  @Test
  void permitsOfAKilledHolderAreFreeWhenItsLeaseEnds() throws Exception {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      hammers.open(server.uri());
      Duration lease = Duration.ofSeconds(2);
      RateLimiter limiter = sluice.limiter("hold", Limit.concurrency(5).lease(lease));
      hammers.holdAndDie("k", 5, lease.toMillis());
      Duration free = limiter.peek("k").resetAfter();
      assertThat(free).isLessThanOrEqualTo(lease);
      Await.until(LONG, () -> limiter.tryAcquire("k").allowed(), "the permits are free");
      assertThat(limiter.peek("k").remaining()).isEqualTo(4);
    }
  }

  @Order(0)
  @Test
  void theCheckerSeesOneTooMany() {
    List<Admission> evenly =
        LongStream.range(0, 101)
            .mapToObj(i -> new Admission(i * 9_900_000, i * 9_900_000 + 1, i * 9_900, 1))
            .toList();
    assertThat(new Admissions(evenly).mostByServerClock(1_000_000)).isEqualTo(101);
    assertThat(new Admissions(evenly).mostSeenFromOutside(SECOND_NANOS)).isEqualTo(101);
    List<Admission> exactly =
        LongStream.range(0, 101)
            .mapToObj(i -> new Admission(i * 10_000_000, i * 10_000_000 + 1, i * 10_000, 1))
            .toList();
    assertThat(new Admissions(exactly).mostByServerClock(1_000_000)).isEqualTo(100);
    assertThat(new Admissions(exactly).mostSeenFromOutside(SECOND_NANOS)).isEqualTo(100);
  }
}
