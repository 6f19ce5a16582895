package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.StoreUnavailableException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Running totals for the dashboard, which shows their differences: decisions by policy, and how
 * long they took in powers of two microseconds.
 */
public final class LiveStats implements DecisionListener {
  /** Decisions below 1 µs, below 2 µs, and so on up to half a minute. */
  static final int LATENCY_BUCKETS = 26;

  // Less than a tenth left is worth a warning.
  private static final long NEAR = 10;

  /** What has happened to one policy since the start. */
  public static final class Counts {
    private final LongAdder allowed = new LongAdder();
    private final LongAdder denied = new LongAdder();
    private final LongAdder degraded = new LongAdder();
    private final LongAdder near = new LongAdder();

    /** Decisions that let a request pass. */
    public long allowed() {
      return allowed.sum();
    }

    /** Decisions that did not, or would not have but for a shadow policy. */
    public long denied() {
      return denied.sum();
    }

    /** Requests that the store did not decide, whether they passed or not. */
    public long degraded() {
      return degraded.sum();
    }

    /** Allowed requests that left less than a tenth of a limit. */
    public long near() {
      return near.sum();
    }
  }

  private final Map<String, Counts> policies = new ConcurrentHashMap<>();
  private final List<LongAdder> latency =
      Stream.generate(LongAdder::new).limit(LATENCY_BUCKETS).toList();

  /** Nothing has happened yet. */
  public LiveStats() {}

  @Override
  public void decided(Policy policy, Decision decision, long nanos) {
    Counts counts = of(policy.name());
    if (decision.degraded()) {
      counts.degraded.increment();
    } else if (decision.allowed() && !decision.shadow()) {
      counts.allowed.increment();
      if (isNear(decision)) {
        counts.near.increment();
      }
    } else {
      counts.denied.increment();
    }
    latency.get(bucket(nanos / 1_000)).increment();
  }

  private static boolean isNear(Decision decision) {
    Limit binding = decision.binding().orElse(null);
    // Rounded up, or a limit of less than ten would never be near.
    return binding != null && decision.remaining() < -Math.floorDiv(-binding.capacity(), NEAR);
  }

  @Override
  public void storeFailed(Policy policy, StoreUnavailableException failure) {
    // The other policies answer, and so do shadows: their answer is counted.
    if (policy.onStoreFailure() == OnStoreFailure.DENY && !policy.shadow()) {
      of(policy.name()).degraded.increment();
    }
  }

  static int bucket(long micros) {
    return Math.min(LATENCY_BUCKETS - 1, 64 - Long.numberOfLeadingZeros(micros));
  }

  /** The counts of a policy. */
  public Counts of(String policy) {
    return policies.computeIfAbsent(policy, name -> new Counts());
  }

  /** How many decisions took less than 2^i microseconds, and not less than half that. */
  public long[] latency() {
    return latency.stream().mapToLong(LongAdder::sum).toArray();
  }
}
