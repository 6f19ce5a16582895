package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.sluice.Limit.Align;
import dev.sluice.Limit.Refill;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Limit BUCKET = Limit.tokenBucket(10, SECOND);
  private static final Limit LEAKY = Limit.leakyBucket(10, SECOND);

  private static Arguments refused(ThrowingCallable limit, String message) {
    return Arguments.of(limit, message);
  }

  static Stream<Arguments> refused() {
    String period = " must be whole microseconds, from 1 microsecond to 3653 days, got ";
    return Stream.of(
        refused(
            () -> Limit.tokenBucket(0, SECOND),
            "limit 'token-bucket': permits must be from 1 to 1099511627776, got 0"),
        refused(
            () -> Limit.fixedWindow(-5, SECOND),
            "limit 'fixed-window': permits must be from 1 to 1099511627776, got -5"),
        refused(
            () -> Limit.tokenBucket(1L << 62, SECOND),
            "limit 'token-bucket': permits must be from 1 to 1099511627776,"
                + " got 4611686018427387904"),
        refused(
            () -> Limit.slidingLog(4_194_305, SECOND),
            "limit 'sliding-log': permits must be from 1 to 4194304, got 4194305"),
        refused(
            () -> Limit.concurrency(0),
            "limit 'concurrency': permits must be from 1 to 1099511627776, got 0"),
        refused(() -> Limit.tokenBucket(1, Duration.ZERO), "per" + period + "PT0S"),
        refused(() -> Limit.tokenBucket(1, Duration.ofNanos(1)), "per" + period + "PT0.000000001S"),
        refused(() -> Limit.tokenBucket(1, SECOND.negated()), "per" + period + "PT-1S"),
        refused(() -> Limit.slidingLog(1, Duration.ofDays(365_000)), "per" + period + "PT8760000H"),
        refused(() -> Limit.tokenBucket(1, Duration.ofDays(3_654)), "per" + period + "PT87696H"),
        refused(
            () -> Limit.concurrency(1).name("db").lease(Duration.ZERO),
            "limit 'db': lease" + period + "PT0S"),
        refused(
            () -> Limit.slidingWindow(1, SECOND).precision(Duration.ofNanos(1_500)),
            "precision" + period + "PT0.0000015S"),
        refused(() -> BUCKET.burst(0), "limit 'token-bucket': burst must be at least 1, got 0"),
        refused(
            () -> BUCKET.name("b").burst(1L << 62),
            "limit 'b': burst must be at most 1099511627776, got 4611686018427387904"),
        refused(
            () -> BUCKET.initial(-1), "limit 'token-bucket': initial must be at least 0, got -1"),
        refused(() -> LEAKY.queue(-1), "limit 'leaky-bucket': queue must be at least 0, got -1"),
        refused(
            () -> LEAKY.queue(1L << 62),
            "limit 'leaky-bucket': queue must be at most 1099511627776, got 4611686018427387904"),
        refused(
            () -> LEAKY.burst(2),
            "limit 'leaky-bucket': burst is for token-bucket, not for leaky-bucket"),
        refused(
            () -> LEAKY.borrow(),
            "limit 'leaky-bucket': borrow is for token-bucket, not for leaky-bucket"),
        refused(
            () -> LEAKY.initial(1),
            "limit 'leaky-bucket': initial is for token-bucket, not for leaky-bucket"),
        refused(
            () -> LEAKY.refill(Refill.SMOOTH),
            "limit 'leaky-bucket': refill is for token-bucket, not for leaky-bucket"),
        refused(
            () -> BUCKET.queue(1),
            "limit 'token-bucket': queue is for leaky-bucket, not for token-bucket"),
        refused(
            () -> BUCKET.lease(SECOND),
            "limit 'token-bucket': lease is for concurrency, not for token-bucket"),
        refused(
            () -> BUCKET.precision(SECOND),
            "limit 'token-bucket': precision is for sliding-window, not for token-bucket"),
        refused(
            () -> BUCKET.align(Align.EPOCH),
            "limit 'token-bucket': align is for fixed-window, not for token-bucket"),
        refused(
            () -> Limit.fixedWindow(1, SECOND).align(Align.CALENDAR),
            "limit 'fixed-window': align must be epoch or first-request;"
                + " a calendar window is made with a unit"),
        refused(
            () -> Limit.calendarWindow(1, CalendarUnit.DAY, ZoneOffset.UTC).align(Align.EPOCH),
            "limit 'fixed-window': align must be epoch or first-request;"
                + " a calendar window is made with a unit"),
        refused(
            () -> BUCKET.name(" "),
            "limit name must be 1 to 64 printable ASCII characters, got ' '"),
        refused(
            () -> BUCKET.name("naïve"),
            "limit name must be 1 to 64 printable ASCII characters, got 'naïve'"),
        refused(
            () -> BUCKET.name("a\tb"),
            "limit name must be 1 to 64 printable ASCII characters, got 'a\tb'"),
        refused(
            () -> BUCKET.name("x".repeat(65)),
            "limit name must be 1 to 64 printable ASCII characters, got '" + "x".repeat(65) + "'"));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void valueThatIsWrongByItselfIsRefusedAtOnce(ThrowingCallable limit, String message) {
    assertThatIllegalArgumentException().isThrownBy(limit).withMessage(message);
  }

  static Stream<Arguments> refusedTogether() {
    return Stream.of(
        Arguments.of(
            BUCKET.initial(11),
            "limit 'token-bucket': initial must be at most the burst of 10, got 11"),
        Arguments.of(
            BUCKET.initial(11).burst(5).name("b"),
            "limit 'b': initial must be at most the burst of 5, got 11"),
        Arguments.of(
            Limit.tokenBucket(1, Duration.ofDays(1)).burst(36_526),
            "limit 'token-bucket': a capacity of 36526 must come back within 36525 days,"
                + " at 1 per 1d it takes longer"),
        Arguments.of(
            Limit.leakyBucket(1, Duration.ofDays(3_653)).queue(10),
            "limit 'leaky-bucket': a capacity of 11 must come back within 36525 days,"
                + " at 1 per 3653d it takes longer"),
        Arguments.of(
            Limit.slidingWindow(1, SECOND).precision(Duration.ofMillis(300)),
            "limit 'sliding-window': precision must divide the period of 1s, got 300ms"),
        Arguments.of(
            Limit.slidingWindow(1, SECOND).precision(Duration.ofMinutes(1)),
            "limit 'sliding-window': precision must divide the period of 1s, got 1m"),
        Arguments.of(
            Limit.slidingWindow(1, SECOND).precision(Duration.ofNanos(50_000)),
            "limit 'sliding-window': per divided by precision must be at most 10000, got 20000"));
  }

  @ParameterizedTest
  @MethodSource("refusedTogether")
  void fieldsThatDoNotGoTogetherAreRefusedWhateverTheirOrder(Limit limit, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.of("p", limit))
        .withMessage("policy 'p', " + message);
  }

  @Test
  void absentValuesAreNamed() {
    assertThatNullPointerException()
        .isThrownBy(() -> Limit.tokenBucket(1, null))
        .withMessage("per");
    assertThatNullPointerException().isThrownBy(() -> BUCKET.refill(null)).withMessage("refill");
    assertThatNullPointerException()
        .isThrownBy(() -> Limit.calendarWindow(1, null, ZoneOffset.UTC))
        .withMessage("unit");
    assertThatNullPointerException()
        .isThrownBy(() -> Limit.calendarWindow(1, CalendarUnit.DAY, null))
        .withMessage("zone");
  }

  @Test
  void extremesThatAreAcceptedAreExact() {
    Limit fast = Limit.tokenBucket(Limit.MOST_PERMITS, Duration.ofNanos(1_000));
    assertThat(Policy.of("p", fast).limits().get(0).windowMicros()).isEqualTo(1);
    Limit slow = Limit.tokenBucket(1, Limit.LONGEST_PERIOD);
    assertThat(Policy.of("p", slow).limits().get(0).windowMicros())
        .isEqualTo(3_653L * 86_400_000_000L);
    assertThat(Limit.slidingLog(Limit.MOST_LOGGED_PERMITS, SECOND).capacity()).isEqualTo(4_194_304);
    assertThat(
            Policy.of("p", Limit.slidingWindow(1, SECOND).precision(Duration.ofNanos(100_000)))
                .limits())
        .hasSize(1);
    assertThat(Policy.of("p", Limit.tokenBucket(1, Duration.ofDays(1)).burst(36_525)).limits())
        .hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "10/s, token-bucket: token-bucket 10 per 1s",
    "240/h burst 20, 'token-bucket: token-bucket 240 per 1h, burst 20'",
    "' 5 / 10 s ', token-bucket: token-bucket 5 per 10s",
    "1/250ms, token-bucket: token-bucket 1 per 250ms",
    "7/m, token-bucket: token-bucket 7 per 1m",
    "9/3653d, token-bucket: token-bucket 9 per 3653d",
  })
  void shortFormIsATokenBucket(String text, String limit) {
    assertThat(Limit.parse(text)).hasToString(limit);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "10        | limit must look like '10/s' or '240/h burst 20', got '10'",
        "10/y      | limit must look like '10/s' or '240/h burst 20', got '10/y'",
        "-1/s      | limit must look like '10/s' or '240/h burst 20', got '-1/s'",
        "1/s burst | limit must look like '10/s' or '240/h burst 20', got '1/s burst'",
        "1/3654d   | limit '1/3654d': per must be from 1 microsecond to 3653 days, got 3654d",
        "0/s       | limit 'token-bucket': permits must be from 1 to 1099511627776, got 0",
        "1/0s      | per must be whole microseconds, from 1 microsecond to 3653 days, got PT0S",
        "1/s burst 0 | limit 'token-bucket': burst must be at least 1, got 0",
      })
  void shortFormThatIsWrongSaysHow(String text, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> Limit.parse(text)).withMessage(message);
  }

  @Test
  void limitPrintsItselfForLogs() {
    assertThat(BUCKET.name("b").burst(20).initial(5).refill(Refill.INTERVAL).borrow())
        .hasToString("b: token-bucket 10 per 1s, burst 20, initial 5, refill interval, borrow");
    assertThat(Limit.counter(3, Duration.ofMinutes(90)))
        .hasToString("fixed-window: fixed-window 3 per 90m, align first-request");
    assertThat(Limit.calendarWindow(3, CalendarUnit.MONTH, ZoneId.of("Europe/Paris")))
        .hasToString("fixed-window: fixed-window 3 per month in Europe/Paris");
    assertThat(Limit.slidingWindow(3, SECOND).precision(Duration.ofNanos(1_000)))
        .hasToString("sliding-window: sliding-window 3 per 1s, precision 1us");
    assertThat(LEAKY.queue(4)).hasToString("leaky-bucket: leaky-bucket 10 per 1s, queue 4");
    assertThat(Limit.concurrency(3)).hasToString("concurrency: concurrency 3 held, lease 1m");
  }

  @Test
  void limitsAreEqualByTheirFields() {
    assertThat(BUCKET.burst(20)).isEqualTo(Limit.gcra(10, SECOND).burst(20));
    assertThat(BUCKET.burst(20)).hasSameHashCodeAs(Limit.gcra(10, SECOND).burst(20));
    assertThat(BUCKET).isNotEqualTo(BUCKET.burst(20)).isNotEqualTo(BUCKET.name("x"));
    assertThat(BUCKET).isNotEqualTo(BUCKET.borrow()).isNotEqualTo("limit");
    assertThat(LEAKY.queue(1)).isNotEqualTo(LEAKY.queue(2));
  }

  @Test
  void extrasCanBeReadBack() {
    Limit calendar = Limit.calendarWindow(3, CalendarUnit.WEEK, ZoneOffset.UTC);
    assertThat(calendar.unit()).isEqualTo(CalendarUnit.WEEK);
    assertThat(calendar.zone()).isEqualTo(ZoneOffset.UTC);
    assertThat(calendar.align()).isEqualTo(Align.CALENDAR);
    assertThat(calendar.per()).isEqualTo(Duration.ofDays(7).plusHours(2));
    assertThat(CalendarUnit.WEEK.id()).isEqualTo("week");
    assertThat(BUCKET.unit()).isNull();
    assertThat(BUCKET.refill()).isEqualTo(Refill.SMOOTH);
    assertThat(BUCKET.borrows()).isFalse();
    assertThat(BUCKET.initial()).isEqualTo(10);
    assertThat(LEAKY.queue(4).capacity()).isEqualTo(5);
    assertThat(LEAKY.queue(4).windowMicros()).isEqualTo(500_000);
    assertThat(Limit.fixedWindow(3, SECOND).align(Align.FIRST_REQUEST))
        .isEqualTo(Limit.counter(3, SECOND));
    assertThat(Limit.slidingWindow(3, SECOND).precisionMicros()).isEqualTo(1_000_000);
    assertThat(Limit.slidingWindow(3, SECOND).windowMicros()).isEqualTo(1_000_000);
  }

  @Test
  void clientsAreToldWholeDaysOfACalendarWindow() {
    for (CalendarUnit unit : CalendarUnit.values()) {
      Limit limit = Limit.calendarWindow(5, unit, ZoneOffset.UTC);
      long days =
          switch (unit) {
            case DAY -> 1;
            case WEEK -> 7;
            case MONTH -> 31;
            case YEAR -> 366;
          };
      assertThat(limit.shownPerMicros()).isEqualTo(days * 86_400_000_000L);
      assertThat(limit.shownWindowMicros()).isEqualTo(days * 86_400_000_000L);
      assertThat(limit.perMicros()).isEqualTo((days * 24 + 2) * 3_600_000_000L);
    }
    assertThat(BUCKET.shownPerMicros()).isEqualTo(BUCKET.perMicros());
    assertThat(LEAKY.queue(4).shownWindowMicros()).isEqualTo(500_000);
  }

  @Test
  void borrowedCostMustComeBackWithinACentury() {
    Limit daily = Limit.tokenBucket(1, Duration.ofDays(1)).borrow();
    assertThat(daily.canPass(36_525)).isTrue();
    assertThat(daily.canPass(36_526)).isFalse();
    assertThat(BUCKET.borrow().canPass(Limit.MOST_PERMITS)).isFalse();
    assertThat(Limit.tokenBucket(1_000_000, SECOND).borrow().canPass(Limit.MOST_PERMITS)).isTrue();
    assertThat(BUCKET.canPass(10)).isTrue();
    assertThat(BUCKET.canPass(11)).isFalse();
  }

  @Test
  void shareIsAtLeastOnePermit() {
    Limit limit = BUCKET.burst(25).initial(7).share(4);
    assertThat(limit.permits()).isEqualTo(2);
    assertThat(limit.capacity()).isEqualTo(6);
    assertThat(limit.initial()).isEqualTo(1);
    assertThat(BUCKET.share(100).permits()).isEqualTo(1);
    assertThat(BUCKET.burst(5).share(100).capacity()).isEqualTo(1);
    assertThat(LEAKY.queue(9).share(2).capacity()).isEqualTo(5);
  }

  @Test
  void shareHoldsNoMoreThanComesBackWithinACentury() {
    Duration decade = Limit.LONGEST_PERIOD;
    // Half of 3 permits is 1, so half of the burst takes half as long again: 14 decades.
    Limit bucket = Limit.tokenBucket(3, decade).burst(29).initial(28);
    Limit half = Policy.of("p", bucket.share(2)).limits().get(0);
    assertThat(half).hasToString("token-bucket: token-bucket 1 per 3653d, burst 9, initial 9");
    // Each node lets one pass at once: 10 times 9 may wait, 10 times 10 are in the bucket.
    Limit leaky = Limit.leakyBucket(10, decade).queue(98);
    Limit tenth = Policy.of("p", leaky.share(10)).limits().get(0);
    assertThat(tenth).hasToString("leaky-bucket: leaky-bucket 1 per 3653d, queue 8");
    assertThat(bucket.share(1)).isEqualTo(bucket);
    assertThat(leaky.share(1)).isEqualTo(leaky);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void everyShareOfALimitIsALimitAndHoldsNoMore(long seed) {
    Random random = new Random(seed);
    int cut = 0;
    for (int i = 0; i < 1_000; i++) {
      long permits = 1 + random.nextLong(1L << random.nextInt(36));
      Duration per = Limit.LONGEST_PERIOD.minusSeconds(random.nextInt(100));
      Limit bucket = Limit.tokenBucket(permits, per).burst(9 * permits).initial(9 * permits);
      Limit leaky = Limit.leakyBucket(permits, per).queue(9 * permits - 1);
      int nodes = 1 + random.nextInt(1 << random.nextInt(31));
      for (Limit limit : List.of(bucket, bucket.refill(Refill.INTERVAL), leaky)) {
        Limit share = Policy.of("p", limit.share(nodes)).limits().get(0);
        long most =
            limit.algorithm() == Algorithm.LEAKY_BUCKET
                ? (9 * permits - 1) / nodes + 1
                : Math.max(1, 9 * permits / nodes);
        assertThat(share.capacity())
            .as("seed %d: %s for %d nodes is %s", seed, limit, nodes, share)
            .isBetween(1L, most);
        cut += share.capacity() < most ? 1 : 0;
      }
    }
    assertThat(cut).as("shares that had to hold less").isGreaterThan(100);
  }

  @Test
  void algorithmIsFoundByItsWord() {
    for (Algorithm algorithm : Algorithm.values()) {
      assertThat(Algorithm.of(algorithm.id())).isEqualTo(algorithm).hasToString(algorithm.id());
    }
    assertThat(Algorithm.of("gcra")).isEqualTo(Algorithm.TOKEN_BUCKET);
    assertThat(Algorithm.of("counter")).isEqualTo(Algorithm.FIXED_WINDOW);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Algorithm.of("bucket"))
        .withMessage(
            "algorithm must be one of token-bucket, fixed-window, sliding-log, sliding-window,"
                + " leaky-bucket, concurrency, gcra, counter, got 'bucket'");
  }
}
