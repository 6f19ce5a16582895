package dev.sluice.server.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.distribution.TimeWindowMax;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * How long something took: how often up to each bound, all together, and the slowest of late. What
 * a timer of Micrometer tells, for a fraction of its price: it is paid with every decision.
 */
final class Times {
  // From the memory store's microseconds to a store that took its whole deadline and more.
  private static final Duration[] BOUNDS = {
    Duration.ofNanos(10_000),
    Duration.ofNanos(50_000),
    Duration.ofNanos(100_000),
    Duration.ofNanos(250_000),
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofNanos(2_500_000),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(20),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(500)
  };
  private static final long[] NANOS = Stream.of(BOUNDS).mapToLong(Duration::toNanos).toArray();
  // The slowest of two to three minutes, as Micrometer has it.
  private static final long MINUTE_MILLIS = 60_000;
  private static final int MINUTES = 3;

  private final LongAdder[] counts =
      Stream.generate(LongAdder::new).limit(NANOS.length + 1).toArray(LongAdder[]::new);
  private final LongAdder sum = new LongAdder();
  private final TimeWindowMax max;

  Times(Clock clock) {
    this.max = new TimeWindowMax(clock, MINUTE_MILLIS, MINUTES);
  }

  void record(long nanos) {
    int bucket = 0;
    while (bucket < NANOS.length && nanos > NANOS[bucket]) {
      bucket++;
    }
    counts[bucket].increment();
    sum.add(nanos);
    max.record((double) nanos);
  }

  /** How often it took up to each bound in seconds, and not up to the one before; at last any. */
  ClassicHistogramBuckets buckets() {
    ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
    for (int i = 0; i < NANOS.length; i++) {
      buckets.bucket(seconds((double) NANOS[i]), counts[i].sum());
    }
    return buckets.bucket(Double.POSITIVE_INFINITY, counts[NANOS.length].sum()).build();
  }

  double sumSeconds() {
    return seconds((double) sum.sum());
  }

  double maxSeconds() {
    return seconds(max.poll());
  }

  private static double seconds(double nanos) {
    return nanos / TimeUnit.SECONDS.toNanos(1);
  }
}
