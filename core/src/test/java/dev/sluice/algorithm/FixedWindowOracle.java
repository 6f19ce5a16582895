package dev.sluice.algorithm;

import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/** The window as a pair of instants, found with the calendar of java.time. */
final class FixedWindowOracle implements Oracle {
  private final Limit limit;
  private long start;
  private long end;
  private long count;

  FixedWindowOracle(Limit limit) {
    this.limit = limit;
  }

  @Override
  public Answer ask(long now, long cost) {
    if (now >= end) {
      open(now);
      count = 0;
    }
    boolean allowed = count + cost <= limit.permits();
    if (allowed) {
      if (count == 0) {
        open(now);
      }
      count += cost;
    }
    long left = end - now;
    return new Answer(
        allowed, limit.permits() - count, allowed ? 0 : left, count == 0 ? 0 : left, 0);
  }

  private void open(long now) {
    switch (limit.align()) {
      case EPOCH -> {
        start = now - now % limit.perMicros();
        end = start + limit.perMicros();
      }
      case FIRST_REQUEST -> end = now + limit.perMicros();
      case CALENDAR -> {
        Instant instant = Instant.EPOCH.plus(now, ChronoUnit.MICROS);
        ZonedDateTime day = instant.atZone(limit.zone()).truncatedTo(ChronoUnit.DAYS);
        ZonedDateTime next =
            limit.unit() == CalendarUnit.DAY
                ? day.plusDays(1)
                : day.withDayOfMonth(1).plusMonths(1);
        end = ChronoUnit.MICROS.between(Instant.EPOCH, next.toInstant());
      }
    }
  }
}
