package dev.sluice.cli.bench;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/** Decisions in memory, one thread on one key, beside the price of looking at the clock. */
public final class MemoryBench {
  private static final int CALLS = 20_000;

  private final int rounds;

  /** Measures in so many short slices. */
  public MemoryBench(int rounds) {
    this.rounds = rounds;
  }

  /** Prints one line. */
  public void run(PrintWriter out) {
    try (Sluice sluice = Sluice.inMemory()) {
      RateLimiter limiter =
          sluice.limiter("bench", Limit.tokenBucket(1_000_000_000, Duration.ofHours(1)));
      double[] clocks = new double[rounds];
      double[] decisions = new double[rounds];
      long sum = 0;
      // The first half warms up.
      for (int round = -rounds; round < rounds; round++) {
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
          sum += System.nanoTime();
        }
        long middle = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
          sum += limiter.tryAcquire("user:0").allowed() ? 1 : 0;
        }
        if (round >= 0) {
          clocks[round] = (middle - start) / (double) CALLS;
          decisions[round] = (System.nanoTime() - middle) / (double) CALLS;
        }
      }
      Arrays.sort(clocks);
      Arrays.sort(decisions);
      out.printf(
          Locale.ROOT,
          "%-30s %.0f ns, of which the clock takes %.0f%s%n",
          "memory, one key, one thread",
          decisions[rounds / 2],
          clocks[rounds / 2],
          sum == 0 ? " (!)" : "");
    }
  }
}
