package dev.sluice.bench.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** What the rounds of one subject in one mode came to. */
final class Figures {
  private final List<Slice> slices = new ArrayList<>();
  private final List<Double> speeds = new ArrayList<>();
  private final List<Double> times = new ArrayList<>();

  private final List<Double> together = new ArrayList<>();

  /** A slice, how many scripts the server ran for it, and the slices of SET before and after. */
  void add(Slice slice, long calls, Slice before, Slice after) {
    slices.add(slice);
    together.add(calls == 0 ? 1.0 : (double) slice.asked() / calls);
    speeds.add(2 * slice.perSecond() / (before.perSecond() + after.perSecond()));
    times.add(2 * slice.medianNanos() / (before.medianNanos() + after.medianNanos()));
  }

  /** Decisions a second as a multiple of SETs a second. */
  double speed() {
    return median(speeds);
  }

  /** The median time of a call as a multiple of that of SET. */
  double time() {
    return median(times);
  }

  /** Requests decided by one call of a script. */
  double together() {
    return median(together);
  }

  double perSecond() {
    return median(Slice::perSecond);
  }

  double clientMicros() {
    return median(Slice::clientMicros);
  }

  double serverMicros() {
    return median(Slice::serverMicros);
  }

  double percentileMicros(double percentile) {
    Histogram all = new Histogram(3);
    all.setAutoResize(true);
    slices.forEach(slice -> all.add(slice.latencies()));
    return all.getValueAtPercentile(percentile) / 1e3;
  }

  private double median(ToDoubleFunction<Slice> figure) {
    return median(slices.stream().mapToDouble(figure).boxed().toList());
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}
