package dev.sluice.bench;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * Measures on a machine that others use too: short slices of each candidate in turn, so that all
 * meet the same noise, and of each the fastest and the middle slice. Where JMH's means wander,
 * these stay.
 */
final class Slices {
  private static volatile int sink;

  private final int calls;
  private final Map<String, IntSupplier> slices = new LinkedHashMap<>();

  /**
   * @param calls decisions in a slice
   */
  Slices(int calls) {
    this.calls = calls;
  }

  /** Adds a slice, with a loop of its own so that no other's profile shapes its code. */
  Slices add(String name, IntSupplier slice) {
    slices.put(name, slice);
    return this;
  }

  /** Prints nanoseconds a decision as one thread sees them; the first slice is the unit. */
  void run(String title, int threads, int rounds) throws InterruptedException {
    Map<String, double[]> nanos = new LinkedHashMap<>();
    slices.keySet().forEach(name -> nanos.put(name, new double[rounds]));
    for (int round = -rounds / 4; round < rounds; round++) {
      for (Map.Entry<String, IntSupplier> slice : slices.entrySet()) {
        double taken = time(slice.getValue(), threads);
        if (round >= 0) {
          nanos.get(slice.getKey())[round] = taken;
        }
      }
    }
    nanos.values().forEach(Arrays::sort);
    double[] unit = nanos.values().iterator().next();
    System.out.printf("%s, %d thread(s), %d rounds%n", title, threads, rounds);
    nanos.forEach(
        (name, sorted) ->
            System.out.printf(
                "  %-32s least %7.1f ns (%.2f)   median %7.1f ns (%.2f)%n",
                name,
                sorted[0],
                sorted[0] / unit[0],
                sorted[rounds / 2],
                sorted[rounds / 2] / unit[rounds / 2]));
  }

  private double time(IntSupplier slice, int threads) throws InterruptedException {
    if (threads == 1) {
      long start = System.nanoTime();
      sink += slice.getAsInt();
      return (System.nanoTime() - start) / (double) calls;
    }
    CountDownLatch ready = new CountDownLatch(threads);
    CountDownLatch done = new CountDownLatch(threads);
    AtomicLong total = new AtomicLong();
    for (int i = 0; i < threads; i++) {
      new Thread(
              () -> {
                ready.countDown();
                while (ready.getCount() > 0) {
                  Thread.onSpinWait();
                }
                long start = System.nanoTime();
                sink += slice.getAsInt();
                total.addAndGet(System.nanoTime() - start);
                done.countDown();
              })
          .start();
    }
    done.await();
    return total.get() / (double) threads / calls;
  }
}
