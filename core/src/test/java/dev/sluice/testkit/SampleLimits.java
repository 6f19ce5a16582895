package dev.sluice.testkit;

import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** One limit for each algorithm and each of its extras, small enough to walk through. */
public final class SampleLimits {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final ZoneId PARIS = ZoneId.of("Europe/Paris");

  private SampleLimits() {}

  /** Every limit below. */
  public static List<Limit> all() {
    return Stream.of(
            tokenBuckets(), fixedWindows(), slidingLogs(), slidingWindows(), leakyBuckets())
        .flatMap(List::stream)
        .toList();
  }

  /** Each limit with each of {@code seeds} seeds, for a parameterized test. */
  public static Stream<Arguments> withSeeds(List<Limit> limits, int seeds) {
    return limits.stream()
        .flatMap(
            limit -> LongStream.rangeClosed(1, seeds).mapToObj(seed -> Arguments.of(limit, seed)));
  }

  /** Smooth and in batches, with and without a burst, started low, and at awkward rates. */
  public static List<Limit> tokenBuckets() {
    return List.of(
        Limit.tokenBucket(10, SECOND),
        Limit.tokenBucket(10, SECOND).burst(25),
        Limit.tokenBucket(7, SECOND).burst(3),
        Limit.tokenBucket(10, SECOND).initial(2),
        Limit.tokenBucket(999_983, SECOND).burst(40),
        Limit.tokenBucket(4, Duration.ofDays(30)),
        Limit.tokenBucket(5, SECOND).burst(12).refill(Limit.Refill.INTERVAL),
        Limit.tokenBucket(5, SECOND).initial(0).refill(Limit.Refill.INTERVAL));
  }

  /** Guava's way: any cost passes while the balance is not negative. */
  public static Limit borrowing() {
    return Limit.tokenBucket(10, SECOND).borrow();
  }

  /**
   * On the epoch, from the first request, and with the calendar of a zone that changes its clocks.
   */
  public static List<Limit> fixedWindows() {
    return List.of(
        Limit.fixedWindow(10, SECOND),
        Limit.fixedWindow(6, Duration.ofMillis(777)),
        Limit.counter(10, SECOND),
        Limit.calendarWindow(10, CalendarUnit.DAY, PARIS),
        Limit.calendarWindow(5, CalendarUnit.MONTH, PARIS));
  }

  /** A log, and one so small that it is mostly full. */
  public static List<Limit> slidingLogs() {
    return List.of(Limit.slidingLog(10, SECOND), Limit.slidingLog(1, Duration.ofMillis(250)));
  }

  /** The two-counter form and finer ones. */
  public static List<Limit> slidingWindows() {
    return List.of(
        Limit.slidingWindow(10, SECOND),
        Limit.slidingWindow(10, SECOND).precision(Duration.ofMillis(100)),
        Limit.slidingWindow(3, Duration.ofMinutes(1)).precision(Duration.ofSeconds(20)));
  }

  /** Without a queue, with one, and at a rate that has no whole spacing. */
  public static List<Limit> leakyBuckets() {
    return List.of(
        Limit.leakyBucket(10, SECOND),
        Limit.leakyBucket(10, SECOND).queue(5),
        Limit.leakyBucket(700_000, SECOND).queue(8));
  }

  /** Held until released, for half a second at most. */
  public static Limit concurrency() {
    return Limit.concurrency(5).lease(Duration.ofMillis(500));
  }
}
