package dev.sluice.bench.redis;

import org.HdrHistogram.Histogram;

/**
 * What a subject did in a short while.
 *
 * @param latencies in nanoseconds; empty where many were in flight on one thread
 */
record Slice(
    long asked,
    long granted,
    long nanos,
    long clientCpuNanos,
    long serverCpuNanos,
    Histogram latencies) {
  double perSecond() {
    return asked * 1e9 / nanos;
  }

  double clientMicros() {
    return clientCpuNanos / 1e3 / asked;
  }

  double serverMicros() {
    return serverCpuNanos / 1e3 / asked;
  }

  /** The median time of one request where those were measured; else nanoseconds a request. */
  double medianNanos() {
    return latencies.getTotalCount() > 0
        ? latencies.getValueAtPercentile(50)
        : (double) nanos / asked;
  }
}
