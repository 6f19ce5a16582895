package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateTest {
  private static final BigInteger LIMIT = BigInteger.ONE.shiftLeft(52);

  @Test
  void rateIsKeptInLowestTerms() {
    assertThat(Rate.of(10, 1_000_000)).isEqualTo(new Rate(1, 100_000));
    assertThat(Rate.of(700_000, 1_000_000)).isEqualTo(new Rate(7, 10));
    assertThat(Rate.of(999_983, 1_000_000)).isEqualTo(new Rate(999_983, 1_000_000));
    assertThat(Rate.of(1, 315_619_200_000_000L)).isEqualTo(new Rate(1, 315_619_200_000_000L));
  }

  /** Everything fits a product of 2^52, is never faster, and slower by less than a millionth. */
  private static void assertNearestBelow(long permits, long micros) {
    Rate rate = Rate.of(permits, micros);
    BigInteger made = BigInteger.valueOf(rate.permits()).multiply(BigInteger.valueOf(micros));
    BigInteger wanted = BigInteger.valueOf(permits).multiply(BigInteger.valueOf(rate.micros()));
    String shown = "%d in %d as %s".formatted(permits, micros, rate);
    assertThat(BigInteger.valueOf(rate.permits()).multiply(BigInteger.valueOf(rate.micros())))
        .as(shown)
        .isLessThanOrEqualTo(LIMIT);
    assertThat(made).as(shown).isLessThanOrEqualTo(wanted);
    assertThat(wanted.subtract(made).multiply(BigInteger.valueOf(1_000_000)))
        .as(shown)
        .isLessThan(wanted);
  }

  @Test
  void rateThatDoesNotFitIsTheLargestBelow() {
    assertNearestBelow(99_991, 31_536_000_000_000L);
    assertNearestBelow(1_099_511_627_689L, 315_619_199_999_999L);
    assertNearestBelow(1_099_511_627_776L, 1);
    assertNearestBelow(3, 315_619_199_999_999L);
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 2_000; i++) {
      long permits = 1 + random.nextLong(1L << random.nextInt(1, 41));
      long micros = 1 + random.nextLong(1L << random.nextInt(1, 48));
      assertNearestBelow(permits, micros);
    }
  }

  @Test
  void nearestBelowIsExactlyTheBestThatFits() {
    // 2^26 + 1 over 2^26 + 3 does not fit; searched by brute force among all that do.
    long permits = (1L << 26) + 1;
    long micros = (1L << 26) + 3;
    Rate rate = Rate.of(permits, micros);
    for (long p = 1; p < 1L << 26; p++) {
      long n = permits * p / micros;
      if (n * rate.micros() > rate.permits() * p) {
        throw new AssertionError("%d/%d is nearer than %s".formatted(n, p, rate));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"10, 1000000, 1, 100000", "3, 1000000, 1, 333334", "700000, 1000000, 7, 10"})
  void spacingIsWholeMicrosecondsWhereThatCostsNothing(
      long permits, long micros, long expectedPermits, long expectedMicros) {
    assertThat(Rate.spacing(permits, micros)).isEqualTo(new Rate(expectedPermits, expectedMicros));
  }

  @Test
  void timeIsRoundedUpAndPermitsDown() {
    Rate rate = new Rate(7, 10);
    assertThat(rate.microsFor(0)).isZero();
    assertThat(rate.microsFor(1)).isEqualTo(2);
    assertThat(rate.microsFor(7)).isEqualTo(10);
    assertThat(rate.microsFor(8)).isEqualTo(12);
    assertThat(rate.permitsWithin(1)).isZero();
    assertThat(rate.permitsWithin(2)).isEqualTo(1);
    assertThat(rate.permitsWithin(9)).isEqualTo(6);
    assertThat(new Rate(1, 10).permitsWithin(9)).isZero();
    assertThat(rate.batchMicrosFor(7)).isEqualTo(10);
    assertThat(rate.batchMicrosFor(8)).isEqualTo(20);
  }

  @Test
  void debtBeyondAllTimeIsForEverAndNotNegative() {
    Rate rate = new Rate(1, 315_619_200_000_000L);
    assertThat(rate.microsFor(1L << 40)).isEqualTo(1L << 52);
    assertThat(rate.microsFor(29_220)).isEqualTo(1L << 52);
    assertThat(rate.batchMicrosFor(1L << 62)).isEqualTo(1L << 52);
    assertThat(new Rate(3, 1L << 50).microsFor(1L << 41)).isEqualTo(1L << 52);
    assertThat(new Rate(3, 1L << 50).microsFor(13)).isEqualTo(1L << 52);
  }
}
