package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Eight threads, and counts that must come out exactly. */
class InMemoryStoreStressTest {
  private static final int THREADS = 8;
  private static final int RESIDENTS = 500;
  private static final int GUESTS = 20_000;
  private static final Duration DAY = Duration.ofDays(1);

  private final FakeClock clock = FakeClock.steady();
  private final InMemoryStore store = new InMemoryStore(clock, 1_000);
  private final Sluice sluice = Sluice.of(store);

  static Stream<Limit> limits() {
    return Stream.of(
        Limit.tokenBucket(20_000, DAY),
        Limit.fixedWindow(20_000, DAY),
        Limit.slidingLog(20_000, DAY),
        Limit.slidingWindow(20_000, DAY),
        Limit.leakyBucket(20_000, DAY).queue(19_999),
        Limit.concurrency(20_000).lease(DAY));
  }

  private static long inAllThreads(Callable<Long> task) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      long sum = 0;
      for (Future<Long> each :
          pool.invokeAll(IntStream.range(0, THREADS).mapToObj(i -> task).toList())) {
        sum += each.get();
      }
      return sum;
    } finally {
      pool.shutdownNow();
    }
  }

  @ParameterizedTest
  @MethodSource("limits")
  void eightThreadsOnOneKeyGetExactlyTheCapacity(Limit limit) throws Exception {
    RateLimiter limiter = sluice.limiter("p", limit);
    long passed =
        inAllThreads(
            () -> IntStream.range(0, 4_000).filter(i -> limiter.tryAcquire("k").allowed()).count());
    assertThat(passed).isEqualTo(20_000);
    assertThat(limiter.peek("k").remaining()).isZero();
  }

  /** So often that two of them meet between reading the bucket and charging it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @SuppressWarnings("StringConstructor") // another string goes another way
  void chargeThatSomebodyElseOvertookIsMadeAgain(boolean sameString) throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.tokenBucket(THREADS * 100_000, DAY));
    long passed =
        inAllThreads(
            () -> {
              String key = sameString ? "k" : new String("k");
              return IntStream.range(0, 100_000)
                  .filter(i -> limiter.tryAcquire(key).allowed())
                  .count();
            });
    assertThat(passed).isEqualTo(THREADS * 100_000);
    assertThat(limiter.peek("k").remaining()).isZero();
  }

  /** Growing, shrinking and closing gaps move keys under those who read without the lock. */
  @Test
  void keysAreChargedExactlyWhileOthersComeAndGo() throws Exception {
    InMemoryStore roomy = new InMemoryStore(clock, 1_000_000);
    RateLimiter limiter = Sluice.of(roomy).limiter("p", Limit.tokenBucket(50, DAY));
    AtomicInteger next = new AtomicInteger();
    long passed =
        inAllThreads(
            () -> {
              int me = next.getAndIncrement();
              return me < 2 ? guests(limiter, me) : residents(limiter);
            });
    assertThat(passed).isEqualTo(2 * GUESTS + RESIDENTS * 50);
    assertThat(roomy.size()).isEqualTo(RESIDENTS);
  }

  private static long residents(RateLimiter limiter) {
    return IntStream.range(0, 20 * RESIDENTS)
        .filter(i -> limiter.tryAcquire("resident" + i % RESIDENTS).allowed())
        .count();
  }

  /** Each comes, is counted if it finds itself unknown, and leaves after a while. */
  private static long guests(RateLimiter limiter, int me) {
    String prefix = "guest " + me + " ";
    long strangers = 0;
    for (int i = 0; i < 2 * GUESTS; i++) {
      if (i < GUESTS && limiter.tryAcquire(prefix + i).remaining() == 49) {
        strangers++;
      }
      // Thousands come before the first leaves.
      if (i >= GUESTS) {
        limiter.reset(prefix + (i - GUESTS));
      }
    }
    return strangers;
  }

  @Test
  void severalKeysTakenTogetherAreChargedAlike() throws Exception {
    RateLimiter limiter = sluice.limiter("p", Limit.fixedWindow(3_000, DAY));
    AtomicInteger turn = new AtomicInteger();
    long passed =
        inAllThreads(
            () ->
                IntStream.range(0, 1_000)
                    .filter(
                        i -> {
                          // Two orders of the same keys: locks must not wait for each other.
                          List<Check> checks =
                              turn.getAndIncrement() % 2 == 0
                                  ? List.of(new Check("p", "a"), new Check("p", "b"))
                                  : List.of(new Check("p", "b"), new Check("p", "a"));
                          return sluice.tryAcquireTogether(checks).stream()
                              .allMatch(Decision::allowed);
                        })
                    .count());
    assertThat(passed).isEqualTo(3_000);
    assertThat(limiter.peek("a").remaining()).isZero();
    assertThat(limiter.peek("b").remaining()).isZero();
  }

  @Test
  void threadsThatFloodStayWithinTheCap() throws Exception {
    RateLimiter one = sluice.limiter("one", Limit.tokenBucket(1, DAY));
    RateLimiter two = sluice.limiter("two", Limit.fixedWindow(1, DAY), Limit.slidingLog(1, DAY));
    AtomicInteger next = new AtomicInteger();
    inAllThreads(
        () ->
            IntStream.range(0, 2_000)
                .filter(
                    i -> {
                      int n = next.getAndIncrement();
                      return (n % 2 == 0 ? one : two).tryAcquire("k" + n).allowed();
                    })
                .count());
    assertThat(store.size()).isLessThanOrEqualTo(1_000);
  }

  @Test
  void policiesMadeAtTheSameTimeDoNotShareTheirTables() throws Exception {
    AtomicInteger next = new AtomicInteger();
    long kept =
        inAllThreads(
            () ->
                IntStream.range(0, 100)
                    .filter(
                        i -> {
                          int n = next.getAndIncrement();
                          Limit limit =
                              n % 2 == 0 ? Limit.fixedWindow(5, DAY) : Limit.slidingLog(5, DAY);
                          RateLimiter limiter = sluice.limiter("p" + n, limit);
                          return limiter.tryAcquire("k").remaining() == 4;
                        })
                    .count());
    assertThat(kept).isEqualTo(THREADS * 100);
  }
}
