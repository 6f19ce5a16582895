package dev.sluice;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A limit as it was said: absent extras are null until somebody asks for them. */
final class LimitFields {
  final Algorithm algorithm;
  long permits;
  Duration per;
  Limit.Align align;
  @Nullable String name;
  @Nullable Long burst;
  @Nullable Long initial;
  Limit.Refill refill = Limit.Refill.SMOOTH;
  boolean borrow;
  @Nullable CalendarUnit unit;
  ZoneId zone = ZoneOffset.UTC;
  @Nullable Duration precision;
  long queue;

  LimitFields(Algorithm algorithm, long permits, Duration per, Limit.Align align) {
    this.algorithm = algorithm;
    this.permits = permits;
    this.per = per;
    this.align = align;
  }

  LimitFields copy() {
    LimitFields copy = new LimitFields(algorithm, permits, per, align);
    copy.name = name;
    copy.burst = burst;
    copy.initial = initial;
    copy.refill = refill;
    copy.borrow = borrow;
    copy.unit = unit;
    copy.zone = zone;
    copy.precision = precision;
    copy.queue = queue;
    return copy;
  }

  List<@Nullable Object> values() {
    return Arrays.asList(
        algorithm, permits, per, align, name, burst, initial, refill, borrow, unit, zone, precision,
        queue);
  }

  String name() {
    return name == null ? algorithm.id() : name;
  }

  long capacity() {
    return switch (algorithm) {
      case TOKEN_BUCKET -> burst == null ? permits : burst;
      case LEAKY_BUCKET -> queue + 1;
      default -> permits;
    };
  }

  /** Permits that come back in a cycle, and its length. */
  Rate cycle() {
    long perMicros = micros(per);
    if (refill == Limit.Refill.INTERVAL) {
      return new Rate(permits, perMicros);
    }
    return algorithm == Algorithm.LEAKY_BUCKET
        ? Rate.spacing(permits, perMicros)
        : Rate.of(permits, perMicros);
  }

  static long micros(Duration duration) {
    return duration.getSeconds() * 1_000_000 + duration.getNano() / 1_000;
  }

  /** A duration as policies files write it: {@code 250ms}, {@code 1s}, {@code 1h}. */
  static String text(Duration duration) {
    long micros = micros(duration);
    long[] sizes = {86_400_000_000L, 3_600_000_000L, 60_000_000L, 1_000_000L, 1_000L};
    String[] units = {"d", "h", "m", "s", "ms"};
    for (int i = 0; i < sizes.length; i++) {
      if (micros % sizes[i] == 0) {
        return micros / sizes[i] + units[i];
      }
    }
    return micros + "us";
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(name() + ": " + algorithm + " " + permits);
    if (algorithm == Algorithm.CONCURRENCY) {
      return text.append(" held, lease ").append(text(per)).toString();
    }
    text.append(" per ").append(unit == null ? text(per) : unit.id() + " in " + zone);
    if (algorithm == Algorithm.TOKEN_BUCKET && capacity() != permits) {
      text.append(", burst ").append(capacity());
    }
    if (initial != null) {
      text.append(", initial ").append(initial);
    }
    if (refill == Limit.Refill.INTERVAL) {
      text.append(", refill interval");
    }
    if (borrow) {
      text.append(", borrow");
    }
    if (align == Limit.Align.FIRST_REQUEST) {
      text.append(", align ").append(align.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
    if (precision != null) {
      text.append(", precision ").append(text(precision));
    }
    if (algorithm == Algorithm.LEAKY_BUCKET) {
      text.append(", queue ").append(queue);
    }
    return text.toString();
  }
}
