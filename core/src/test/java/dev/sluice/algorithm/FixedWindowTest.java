package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FixedWindowTest {
  private static final Limit FIVE = Limit.fixedWindow(5, Duration.ofSeconds(1));

  @Test
  void windowsStartOnTheEpoch() {
    Tables.run(
        FIVE,
        """
           300  4 | yes  1    0   700
           600  2 | no   1  100   100
           100  2 | yes  3    0  1000
             0  3 | yes  0    0  1000
             0  1 | no   0 1000  1000
          1000  5 | yes  0    0  1000""");
  }

  @Test
  void counterStartsWithTheFirstRequest() {
    Tables.run(
        Limit.counter(5, Duration.ofSeconds(1)),
        """
           300  4 | yes  1    0  1000
           999  2 | no   1    1     1
             1  2 | yes  3    0  1000
          1700  5 | yes  0    0  1000   # not on the old beat
             0  1 | no   0 1000  1000""");
  }

  @Test
  void clockStepBackStaysInTheWindowOfTheLastCharge() {
    Tables.run(
        FIVE,
        """
          1100  5     | yes  0    0   900
          -200  1     | no   0 1100  1100   # not the window before
          -800.001  1 | no   0  900.001  900.001   # more than a period: what was used counts here
           900.001  5 | yes  0    0  1000""");
  }

  @Test
  void bookingsFillOneWindowAfterTheOther() {
    Tables.run(
        FIVE,
        """
           500  5           | yes  0     0   500
             0  book 3 5000 | yes  0     0  1500   500
             0  book 3 5000 | yes  0     0  2500  1500
             0  book 2 5000 | yes  0     0  2500  1500
             0  book 1 2499 | no   0     1  2500
             0  1           | no   0  2500  2500
           500  1           | no   0  2000  2000
          1000  1           | no   0  1000  1000
          1000  5           | yes  0     0  1000""");
  }

  @Test
  void refundGivesBackInThisWindow() {
    Tables.run(
        FIVE,
        """
             0  3        | yes  2  0  1000
             0  refund 9 | yes  5  0     0
             0  3        | yes  2  0  1000
          1000  refund 3 | yes  5  0     0""");
  }

  @Test
  void refundOfABookingLeavesNothingToReset() {
    Tables.run(
        FIVE,
        """
             0  5           | yes  0  0  1000
             0  book 1 5000 | yes  0  0  2000  1000
             0  1           | no   0  1000  2000""");
  }

  @Test
  void whollyUsedGreatestLimitResetsWithItsWindow() {
    Tables.run(
        Limit.fixedWindow(Limit.MOST_PERMITS, Duration.ofSeconds(1)),
        """
             0  1099511627776 | yes  0     0  1000
             0  1             | no   0  1000  1000
          1000  1099511627776 | yes  0     0  1000""");
  }

  @ParameterizedTest
  @CsvSource({
    "DAY,   Europe/Paris,     2026-03-29T10:00:00Z, 2026-03-28T23:00:00Z, 2026-03-29T22:00:00Z",
    "DAY,   Europe/Paris,     2026-10-25T10:00:00Z, 2026-10-24T22:00:00Z, 2026-10-25T23:00:00Z",
    "WEEK,  UTC,              2026-01-01T00:00:00Z, 2025-12-29T00:00:00Z, 2026-01-05T00:00:00Z",
    "WEEK,  America/New_York, 2026-03-08T12:00:00Z, 2026-03-02T05:00:00Z, 2026-03-09T04:00:00Z",
    "MONTH, Asia/Kolkata,     2024-02-29T18:29:59Z, 2024-01-31T18:30:00Z, 2024-02-29T18:30:00Z",
    "MONTH, Europe/Paris,     2026-10-31T00:00:00Z, 2026-09-30T22:00:00Z, 2026-10-31T23:00:00Z",
    "YEAR,  UTC,              2024-12-31T23:59:59Z, 2024-01-01T00:00:00Z, 2025-01-01T00:00:00Z",
    // Midnight does not exist on this day: it starts at one o'clock.
    "DAY,   America/Santiago, 2024-09-08T12:00:00Z, 2024-09-08T04:00:00Z, 2024-09-09T03:00:00Z",
  })
  void calendarSpansFollowTheirZone(
      CalendarUnit unit, String zone, Instant at, Instant start, Instant end) {
    long micros = at.getEpochSecond() * 1_000_000;
    ZoneId in = ZoneId.of(zone);
    assertThat(unit.startMicros(micros, in, 0)).isEqualTo(start.getEpochSecond() * 1_000_000);
    assertThat(unit.startMicros(micros, in, 1)).isEqualTo(end.getEpochSecond() * 1_000_000);
    assertThat(Duration.between(start, end)).isLessThanOrEqualTo(unit.longest());
  }

  @Test
  void calendarBookingsGoToTheNextMonth() {
    Tables.run(
        Limit.calendarWindow(2, CalendarUnit.MONTH, ZoneOffset.UTC),
        """
             0  2                 | yes  0           0  2678400000
             0  book 2 9999999999 | yes  0           0  5097600000  2678400000
             0  book 1 9999999999 | yes  0           0  7776000000  5097600000
    2678400000  1                 | no   0  2419200000  5097600000""");
  }
}
