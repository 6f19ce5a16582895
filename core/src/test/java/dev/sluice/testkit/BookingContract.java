package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Reservation;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Places in the future, and charges that are settled afterwards. */
public interface BookingContract extends StoreUnderTest {
  /** Longer than any wait in these tests. */
  Duration YEAR = Duration.ofDays(365);

  /** A minute to settle. */
  Duration MINUTE = Duration.ofMinutes(1);

  /** Ten a second, nine of which may wait. */
  Limit QUEUE = Limit.leakyBucket(10, Duration.ofSeconds(1)).queue(9);

  /** The limits that let a request book a place. */
  static List<Limit> limits() {
    return Stream.of(
            SampleLimits.tokenBuckets(),
            SampleLimits.fixedWindows(),
            SampleLimits.slidingLogs(),
            SampleLimits.slidingWindows())
        .flatMap(List::stream)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.BookingContract#limits")
  default void bookingsPassInOrderAtTheTimeThatTryAcquireWouldHaveTold(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          long last = 0;
          for (int i = 0; i < 3 * limit.capacity(); i++) {
            long retry = limiter.peek("k").retryAfterMicros();
            Decision booked = limiter.reserve("k", 1, YEAR, YEAR).decision();
            assertThat(booked.allowed()).isTrue();
            assertThat(booked.waitMicros()).as("%s", booked).isEqualTo(retry);
            assertThat(booked.waitMicros()).isGreaterThanOrEqualTo(last);
            last = booked.waitMicros();
          }
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.BookingContract#limits")
  default void placeFurtherThanTheLongestWaitIsNotBooked(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.force("k", limit.capacity());
          Decision before = limiter.peek("k");
          long wait = before.retryAfterMicros();
          Duration tooShort = Duration.of(wait - 1, ChronoUnit.MICROS);
          Decision refused = limiter.reserve("k", 1, tooShort, YEAR).decision();
          assertThat(refused.allowed()).isFalse();
          assertThat(refused.retryAfterMicros()).isEqualTo(1);
          assertThat(limiter.peek("k")).isEqualTo(before);
          Duration enough = Duration.of(wait, ChronoUnit.MICROS);
          assertThat(limiter.reserve("k", 1, enough, YEAR).decision().waitMicros()).isEqualTo(wait);
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.BookingContract#limits")
  default void cancelledPlaceIsGivenToTheNext(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.force("k", limit.capacity());
          Reservation booked = limiter.reserve("k", 1, YEAR, YEAR);
          long wait = booked.decision().waitMicros();
          assertThat(wait).isPositive();
          assertThat(limiter.cancel(booked.id())).isTrue();
          assertThat(limiter.reserve("k", 1, YEAR, YEAR).decision().waitMicros()).isEqualTo(wait);
        });
  }

  @Test
  default void commitGivesBackWhatWasNotUsed() {
    withLimiter(
        Limit.slidingLog(10, MINUTE),
        (limiter, clock) -> {
          Reservation reservation = limiter.reserve("k", 8, Duration.ZERO, MINUTE);
          assertThat(reservation.decision().remaining()).isEqualTo(2);
          assertThat(limiter.commit(reservation.id(), 3)).isTrue();
          assertThat(limiter.peek("k").remaining()).isEqualTo(7);
        });
  }

  @Test
  default void commitTakesWhatWasUsedBeyond() {
    withLimiter(
        Limit.slidingLog(10, MINUTE),
        (limiter, clock) -> {
          String id = limiter.reserve("k", 4, Duration.ZERO, MINUTE).id();
          assertThat(limiter.commit(id, 6)).isTrue();
          assertThat(limiter.peek("k").remaining()).isEqualTo(4);
          String greedy = limiter.reserve("k", 2, Duration.ZERO, MINUTE).id();
          assertThat(limiter.commit(greedy, 1_000)).isTrue();
          assertThat(limiter.peek("k").remaining()).isZero();
        });
  }

  @Test
  default void commitBorrowsWhatWasUsedBeyond() {
    withLimiter(
        SampleLimits.borrowing(),
        (limiter, clock) -> {
          String id = limiter.reserve("k", 1, Duration.ZERO, MINUTE).id();
          assertThat(limiter.commit(id, 35)).isTrue();
          assertThat(limiter.peek("k").retryAfter()).isEqualTo(Duration.ofMillis(2_500));
        });
  }

  @Test
  default void settlingAgainChangesNothing() {
    withLimiter(
        Limit.slidingLog(10, MINUTE),
        (limiter, clock) -> {
          String id = limiter.reserve("k", 4, Duration.ZERO, MINUTE).id();
          assertThat(limiter.commit(id, 2)).isTrue();
          assertThat(limiter.commit(id, 2)).isTrue();
          assertThat(limiter.commit(id, 9)).isFalse();
          assertThat(limiter.cancel(id)).isFalse();
          assertThat(limiter.commit(id, 2)).isTrue();
          assertThat(limiter.peek("k").remaining()).isEqualTo(8);
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.BookingContract#limits")
  default void cancelledReservationCannotBeCommitted(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.force("k", 1);
          Decision before = limiter.peek("k");
          String id = limiter.reserve("k", 1, YEAR, YEAR).id();
          assertThat(limiter.cancel(id)).isTrue();
          assertThat(limiter.commit(id, 1)).isFalse();
          assertThat(limiter.cancel(id)).isTrue();
          assertThat(limiter.peek("k")).isEqualTo(before);
        });
  }

  @Test
  default void settledReservationThatExpiresGivesNothingBack() {
    withLimiter(
        Limit.slidingLog(10, MINUTE),
        (limiter, clock) -> {
          String id = limiter.reserve("k", 4, Duration.ZERO, Duration.ofSeconds(1)).id();
          assertThat(limiter.commit(id, 4)).isTrue();
          clock.advanceMicros(1_000_000);
          assertThat(limiter.commit(id, 4)).isFalse();
          assertThat(limiter.peek("k").remaining()).isEqualTo(6);
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.BookingContract#limits")
  default void cancelledReservationLeavesNoTrace(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.force("k", 1);
          Decision before = limiter.peek("k");
          Reservation reservation = limiter.reserve("k", 1, YEAR, YEAR);
          assertThat(limiter.cancel(reservation.id())).isTrue();
          assertThat(limiter.peek("k")).isEqualTo(before);
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.BookingContract#limits")
  default void reservationLeftAloneIsGivenBackWhenItExpires(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.tryAcquire("k");
          clock.advanceMicros(limit.windowMicros());
          long all = limiter.peek("k").remaining();
          Duration ttl = Duration.of(3, ChronoUnit.MICROS);
          String id = limiter.reserve("k", all, Duration.ZERO, ttl).id();
          clock.advanceMicros(2);
          assertThat(limiter.peek("k").remaining()).isLessThan(all);
          clock.advanceMicros(1);
          // Not peek first: the request itself must find what has expired.
          assertThat(limiter.tryAcquire("k", all).allowed()).isTrue();
          assertThat(limiter.commit(id, all)).isFalse();
          assertThat(limiter.peek("k").remaining()).isLessThan(all);
        });
  }

  @Test
  default void postponedChargeCountsFromNowAmongThoseWhoWait() {
    withLimiter(
        Limit.slidingLog(2, MINUTE),
        (limiter, clock) -> {
          Decision late = limiter.tryAcquire("k");
          clock.advance(Duration.ofSeconds(10));
          limiter.tryAcquire("k");
          assertThat(limiter.reserve("k", 1, YEAR, YEAR).decision().waitTime())
              .isEqualTo(Duration.ofSeconds(50));
          clock.advance(Duration.ofSeconds(10));
          awaitChange(limiter, () -> limiter.postpone(late));
          // Not 50 seconds, as if it had been in time, nor 100, behind the one who waits.
          assertThat(limiter.reserve("k", 1, YEAR, YEAR).decision().waitTime()).isEqualTo(MINUTE);
        });
  }

  /** Nobody waits for what is given back or postponed: a store far away hears of it later. */
  private static void awaitChange(RateLimiter limiter, Runnable change) {
    Decision before = limiter.peek("k");
    change.run();
    for (int i = 0; i < 10_000 && limiter.peek("k").equals(before); i++) {
      Thread.onSpinWait();
    }
  }

  @Test
  default void expiredChargeCountsAgainWhenItIsPostponed() {
    withLimiter(
        Limit.slidingLog(2, MINUTE),
        (limiter, clock) -> {
          Decision late = limiter.tryAcquire("k");
          clock.advance(MINUTE);
          assertThat(limiter.peek("k").remaining()).isEqualTo(2);
          awaitChange(limiter, () -> limiter.postpone(late));
          assertThat(limiter.peek("k").remaining()).isEqualTo(1);
          assertThat(limiter.peek("k").resetAfter()).isEqualTo(MINUTE);
        });
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.BookingContract#limits")
  default void placeThatIsStillToComeIsNotPostponed(Limit limit) {
    withLimiter(
        limit,
        (limiter, clock) -> {
          limiter.force("k", limit.capacity());
          Decision booked = limiter.reserve("k", 1, YEAR, YEAR).decision();
          Decision before = limiter.peek("k");
          limiter.postpone(booked);
          assertThat(limiter.peek("k")).isEqualTo(before);
        });
  }

  @Test
  default void tokensThatHaveComeBackAreNotGivenBackOnceMore() {
    withLimiter(
        Limit.tokenBucket(10, Duration.ofSeconds(1)),
        (limiter, clock) -> {
          Duration ttl = Duration.ofMillis(300);
          limiter.reserve("left to expire", 1, Duration.ZERO, ttl);
          String id = limiter.reserve("cancelled late", 1, Duration.ZERO, MINUTE).id();
          clock.advance(Duration.ofMillis(500));
          assertThat(limiter.tryAcquire("left to expire", 10).allowed()).isTrue();
          assertThat(limiter.tryAcquire("left to expire").allowed()).isFalse();
          assertThat(limiter.tryAcquire("cancelled late", 10).allowed()).isTrue();
          assertThat(limiter.cancel(id)).isTrue();
          assertThat(limiter.tryAcquire("cancelled late").allowed()).isFalse();
        });
  }

  @Test
  default void tokensStillToComeAreGivenBackTheOldestBeingTheFirstToCome() {
    withLimiter(
        Limit.tokenBucket(10, Duration.ofSeconds(1)),
        (limiter, clock) -> {
          limiter.tryAcquire("k", 4);
          String id = limiter.reserve("k", 6, Duration.ZERO, MINUTE).id();
          clock.advance(Duration.ofMillis(800));
          // Of the ten, the four before and four of the six.
          assertThat(limiter.tryAcquire("k", 8).allowed()).isTrue();
          assertThat(limiter.cancel(id)).isTrue();
          assertThat(limiter.peek("k").remaining()).isEqualTo(2);
        });
  }

  @Test
  default void deniedReservationHasNoPermitsAndNothingToSettle() {
    withLimiter(
        Limit.fixedWindow(10, MINUTE),
        (limiter, clock) -> {
          limiter.tryAcquire("k", 10);
          Reservation refused = limiter.reserve("k", 1, Duration.ZERO, MINUTE);
          assertThat(refused.allowed()).isFalse();
          assertThat(refused.id()).isEmpty();
        });
  }

  @Test
  default void permitsOfAnEarlierWindowAreNotGivenBackToThisOne() {
    Limit limit = Limit.fixedWindow(10, MINUTE);
    withLimiter(
        limit,
        (limiter, clock) -> {
          String id = limiter.reserve("k", 5, Duration.ZERO, YEAR).id();
          clock.advance(MINUTE);
          limiter.tryAcquire("k", 10);
          assertThat(limiter.cancel(id)).isTrue();
          assertThat(limiter.tryAcquire("k").allowed()).isFalse();
        });
  }

  @Test
  default void cancellingOldPermitsLeavesYoungerOnesInTheLog() {
    for (Limit limit :
        List.of(
            Limit.slidingLog(10, MINUTE),
            Limit.slidingWindow(10, MINUTE).precision(Duration.ofSeconds(1)))) {
      withLimiter(
          limit,
          (limiter, clock) -> {
            String id = limiter.reserve("k", 5, Duration.ZERO, YEAR).id();
            clock.advance(Duration.ofSeconds(50));
            limiter.tryAcquire("k", 5);
            assertThat(limiter.cancel(id)).isTrue();
            assertThat(limiter.peek("k").remaining()).isEqualTo(5);
            clock.advance(Duration.ofSeconds(30));
            // Were the younger five given back instead, the whole limit would be free by now.
            assertThat(limiter.peek("k").remaining()).isEqualTo(5);
          });
    }
  }

  @Test
  default void slotsOfAQueueAreGivenBackWhileNobodyIsBehindThem() {
    withLimiter(
        QUEUE,
        (limiter, clock) -> {
          limiter.cancel(limiter.reserve("k", 3, Duration.ZERO, MINUTE).id());
          assertThat(limiter.peek("k").remaining()).isEqualTo(10);
          String id = limiter.reserve("k", 3, Duration.ZERO, MINUTE).id();
          clock.advance(Duration.ofMillis(150));
          limiter.cancel(id);
          assertThat(limiter.peek("k").remaining()).isEqualTo(10);
        });
  }

  @Test
  default void slotsOfAQueueThatWereNotUsedAreGivenBackWhileNobodyIsBehindThem() {
    withLimiter(
        QUEUE,
        (limiter, clock) -> {
          String id = limiter.reserve("k", 5, Duration.ZERO, MINUTE).id();
          limiter.commit(id, 2);
          assertThat(limiter.tryAcquire("k").waitTime()).isEqualTo(Duration.ofMillis(200));
          limiter.reserve("k", 4, YEAR, Duration.ofMillis(10));
          clock.advance(Duration.ofMillis(10));
          assertThat(limiter.peek("k").waitTime()).isEqualTo(Duration.ofMillis(290));
        });
  }

  @Test
  default void slotsOfAQueueAreLostWithOthersBehindThemEvenOnceThoseHavePassed() {
    withLimiter(
        QUEUE,
        (limiter, clock) -> {
          String first = limiter.reserve("k", 2, Duration.ZERO, MINUTE).id();
          String second = limiter.reserve("k", 2, YEAR, MINUTE).id();
          assertThat(limiter.tryAcquire("k").waitTime()).isEqualTo(Duration.ofMillis(400));
          limiter.commit(second, 1);
          assertThat(limiter.peek("k").waitTime()).isEqualTo(Duration.ofMillis(500));
          clock.advance(Duration.ofMillis(450));
          limiter.cancel(first);
          assertThat(limiter.peek("k").waitTime()).isEqualTo(Duration.ofMillis(50));
          limiter.refund("k", Limit.MOST_PERMITS);
          assertThat(limiter.peek("k").waitTime()).isZero();
        });
  }

  @Test
  default void refundOfHowMuchEverLeavesTheSlotsOfThoseWhoWait() {
    withLimiter(
        QUEUE,
        (limiter, clock) -> {
          limiter.tryAcquire("k");
          limiter.tryAcquire("k");
          limiter.refund("k", Limit.MOST_PERMITS);
          assertThat(limiter.peek("k").waitTime()).isEqualTo(Duration.ofMillis(200));
        });
  }
}
