package dev.sluice.server.metrics;

import io.micrometer.core.instrument.Clock;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * {@link Times} as Prometheus reads them: a histogram {@code name} and a gauge {@code name_max},
 * under the names and in the form that Micrometer gives a timer.
 */
final class TimesCollector implements MultiCollector {
  private final String name;
  private final String help;
  private final Clock clock;
  private final Map<Labels, Times> times = new ConcurrentHashMap<>();

  /** Times that are read with the others of a registry. */
  TimesCollector(String name, String help, PrometheusMeterRegistry registry) {
    this.name = name;
    this.help = help;
    this.clock = registry.config().clock();
    registry.getPrometheusRegistry().register(this);
  }

  Times of(Labels labels) {
    return times.computeIfAbsent(labels, unknown -> new Times(clock));
  }

  @Override
  public MetricSnapshots collect() {
    if (times.isEmpty()) {
      return MetricSnapshots.of();
    }
    HistogramSnapshot.Builder histogram = HistogramSnapshot.builder().name(name).help(help);
    GaugeSnapshot.Builder max = GaugeSnapshot.builder().name(name + "_max").help(help);
    times.forEach(
        (labels, measured) -> {
          histogram.dataPoint(
              HistogramSnapshot.HistogramDataPointSnapshot.builder()
                  .labels(labels)
                  .classicHistogramBuckets(measured.buckets())
                  .sum(measured.sumSeconds())
                  .build());
          max.dataPoint(
              GaugeSnapshot.GaugeDataPointSnapshot.builder()
                  .labels(labels)
                  .value(measured.maxSeconds())
                  .build());
        });
    return MetricSnapshots.of(histogram.build(), max.build());
  }
}
