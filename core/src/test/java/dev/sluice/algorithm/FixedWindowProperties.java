package dev.sluice.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.testkit.SampleLimits;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** At most N in each window. */
class FixedWindowProperties extends BookingLaws {
  @Override
  List<Limit> limits() {
    return SampleLimits.fixedWindows();
  }

  @Override
  void assertPromise(Limit limit, List<Pass> passes) {
    Map<Object, Long> counts = new HashMap<>();
    long windowEnds = Long.MIN_VALUE;
    for (Pass pass : passes) {
      if (pass.at() >= windowEnds) {
        windowEnds = pass.at() + limit.perMicros();
      }
      Object window =
          switch (limit.align()) {
            case EPOCH -> pass.at() / limit.perMicros();
            case FIRST_REQUEST -> windowEnds;
            case CALENDAR -> calendarWindow(limit, pass.at());
          };
      assertThat(counts.merge(window, pass.cost(), Long::sum))
          .as("%s at %s", limit, window)
          .isLessThanOrEqualTo(limit.permits());
    }
  }

  private static Object calendarWindow(Limit limit, long at) {
    ZonedDateTime local = Instant.EPOCH.plus(at, ChronoUnit.MICROS).atZone(limit.zone());
    return switch (limit.unit()) {
      case DAY -> local.toLocalDate();
      case MONTH -> YearMonth.from(local);
      default -> throw new AssertionError(limit.unit());
    };
  }
}
