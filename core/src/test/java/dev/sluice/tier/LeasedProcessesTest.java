package dev.sluice.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Laws of several processes on one store, on a clock that the test moves: nobody ever gets more
 * than the limit and the bound on slices, and nearly all of the limit is given out. Processes are
 * killed with slices in hand.
 */
class LeasedProcessesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int PROCESSES = 4;
  private static final int STEPS = 60_000;

  private record Admission(long micros, long cost) {}

  private final FakeClock clock = new FakeClock();
  private final InMemoryStore store = new InMemoryStore(clock, 1_000);
  private final List<CountingStore> ways = new ArrayList<>();
  private final List<TieredStore> processes = new ArrayList<>();
  private final List<RateLimiter> limiters = new ArrayList<>();
  private final List<Admission> admissions = new ArrayList<>();

  static Stream<Arguments> limits() {
    return Stream.of(
            Limit.slidingLog(1_000, SECOND),
            Limit.tokenBucket(1_000, SECOND),
            Limit.fixedWindow(1_000, SECOND),
            Limit.slidingWindow(1_000, SECOND).precision(Duration.ofMillis(100)))
        .flatMap(limit -> LongStream.of(1, 2).mapToObj(seed -> Arguments.of(limit, seed)));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void limitAndBoundAreNeverPassedAndNearlyAllIsGivenOut(Limit limit, long seed) {
    Policy policy = Policy.named("p").limits(List.of(limit)).tier(Tier.LEASED).build();
    assertThat(policy.maxLeased()).isEqualTo(10);
    for (int i = 0; i < PROCESSES; i++) {
      start(policy);
    }
    long started = clock.nowMicros();
    long nextTend = started;
    SplittableRandom random = new SplittableRandom(seed);
    for (int step = 0; step < STEPS; step++) {
      clock.advanceMicros(random.nextLong(400));
      // Nine in ten come to the first process; each of the others has its quiet times.
      int process = random.nextInt(10) > 0 ? 0 : random.nextInt(PROCESSES);
      long cost = random.nextInt(20) == 0 ? random.nextLong(2, 6) : 1;
      Decision decision = limiters.get(process).tryAcquire("k", cost);
      if (decision.allowed()) {
        admissions.add(new Admission(clock.nowMicros(), cost));
      }
      assertThat(processes.stream().mapToLong(tiers -> tiers.leased("p")).sum())
          .as("seed %d, step %d", seed, step)
          .isLessThanOrEqualTo(10);
      if (clock.nowMicros() >= nextTend) {
        processes.forEach(TieredStore::tend);
        nextTend += 250_000;
      }
      if (random.nextInt(5_000) == 0) {
        kill(random.nextInt(PROCESSES), policy);
      }
    }
    assertBounds(limit, seed, clock.nowMicros() - started);
  }

  private void start(Policy policy) {
    CountingStore own = new CountingStore(store);
    ways.add(own);
    TieredStore tiers =
        new TieredStore(own, TieredStore.DENIALS_HELD, () -> clock.nowMicros() * 1_000);
    processes.add(tiers);
    limiters.add(Sluice.of(tiers).limiter(policy));
  }

  /** Another process takes its place; what it had in hand is never used and never comes back. */
  private void kill(int process, Policy policy) {
    start(policy);
    ways.set(process, ways.remove(PROCESSES)).dead = true;
    processes.set(process, processes.remove(PROCESSES));
    limiters.set(process, limiters.remove(PROCESSES));
  }

  private void assertBounds(Limit limit, long seed, long micros) {
    long most = limit.permits() + 10;
    if (limit.algorithm() != dev.sluice.Algorithm.SLIDING_LOG) {
      // In one period, wherever it begins: a full bucket and its refill, or parts of two windows.
      most += limit.permits();
    }
    assertThat(mostInAWindow(1_000_000)).as("seed %d", seed).isLessThanOrEqualTo(most);
    long admitted = admissions.stream().mapToLong(Admission::cost).sum();
    long demand = STEPS / 20 * 3L + STEPS;
    long expected = Math.min(limit.permits() * (micros / 1_000_000), demand);
    assertThat(admitted).as("seed %d", seed).isGreaterThanOrEqualTo(expected * 95 / 100);
  }

  private long mostInAWindow(long window) {
    long most = 0;
    long inside = 0;
    int next = 0;
    for (Admission first : admissions) {
      while (next < admissions.size() && admissions.get(next).micros() < first.micros() + window) {
        inside += admissions.get(next++).cost();
      }
      most = Math.max(most, inside);
      inside -= first.cost();
    }
    return most;
  }
}
