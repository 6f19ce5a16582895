package dev.sluice;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;

/** A span of the civil calendar that a fixed window can follow. Weeks start on Monday. */
public enum CalendarUnit {
  /** Midnight to midnight. */
  DAY(1),
  /** Monday to Monday. */
  WEEK(7),
  /** From the first of a month to the first of the next. */
  MONTH(31),
  /** From the first of January to the next. */
  YEAR(366);

  private final int longestDays;

  CalendarUnit(int longestDays) {
    this.longestDays = longestDays;
  }

  /** The word for this unit in files: {@code day}, {@code week}, {@code month} or {@code year}. */
  public String id() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  /** No span of this unit is longer, a day with a daylight-saving change included. */
  public Duration longest() {
    return nominal().plusHours(2);
  }

  /** The length that clients are told: the most days that it has, each of 24 hours. */
  public Duration nominal() {
    return Duration.ofDays(longestDays);
  }

  /**
   * The start, in microseconds since the epoch, of the span that is {@code offset} spans after the
   * one that holds {@code micros}.
   */
  public long startMicros(long micros, ZoneId zone, long offset) {
    Instant instant =
        Instant.ofEpochSecond(0, 0).plus(micros, java.time.temporal.ChronoUnit.MICROS);
    LocalDate first = firstDay(instant.atZone(zone).toLocalDate());
    LocalDate start =
        switch (this) {
          case DAY -> first.plusDays(offset);
          case WEEK -> first.plusWeeks(offset);
          case MONTH -> first.plusMonths(offset);
          case YEAR -> first.plusYears(offset);
        };
    Instant begins = start.atStartOfDay(zone).toInstant();
    return begins.getEpochSecond() * 1_000_000 + begins.getNano() / 1_000;
  }

  private LocalDate firstDay(LocalDate day) {
    return switch (this) {
      case DAY -> day;
      case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
      case MONTH -> day.withDayOfMonth(1);
      case YEAR -> day.withDayOfYear(1);
    };
  }
}
