package dev.sluice.bench;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One hot key again, for a machine that others use too: short slices of each library in turn, so
 * that all meet the same noise, and of each the fastest and the middle slice. Where JMH's means
 * wander, these stay.
 */
public final class Interleaved {
  private static final int CALLS = 10_000;

  /** One library, with a loop of its own so that no other's profile shapes its code. */
  private interface Slice {
    int run();
  }

  private final AtomicLong tat = new AtomicLong();
  private final dev.sluice.RateLimiter sluice = Peers.sluice();
  private final Bucket locked = Peers.bucket4j(SynchronizationStrategy.SYNCHRONIZED);
  private final Bucket lockFree = Peers.bucket4j(SynchronizationStrategy.LOCK_FREE);
  private final RateLimiter guava = Peers.guava();
  private final io.github.resilience4j.ratelimiter.RateLimiter resilience4j = Peers.resilience4j();
  private String key = "user:42";

  private Interleaved() {}

  public static void main(String[] args) throws InterruptedException {
    int threads = args.length > 0 ? Integer.parseInt(args[0]) : 1;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 2_000;
    new Interleaved().run(threads, rounds);
  }

  private void run(int threads, int rounds) throws InterruptedException {
    String[] names = {"bare GCRA", "Sluice", "Bucket4j sync", "Bucket4j", "Guava", "Resilience4j"};
    Slice[] slices = {
      this::bare, this::sluice, this::locked, this::lockFree, this::guava, this::resilience4j
    };
    double[][] nanos = new double[slices.length][rounds];
    for (int round = -rounds / 4; round < rounds; round++) {
      for (int i = 0; i < slices.length; i++) {
        double taken = time(slices[i], threads);
        if (round >= 0) {
          nanos[i][round] = taken;
        }
      }
    }
    System.out.printf("%d thread(s), %d rounds, nanoseconds a decision%n", threads, rounds);
    double[] unit = nanos[0];
    Arrays.sort(unit);
    for (int i = 0; i < slices.length; i++) {
      Arrays.sort(nanos[i]);
      double least = nanos[i][0];
      double median = nanos[i][rounds / 2];
      System.out.printf(
          "%-14s least %6.1f (%.2f of bare)   median %6.1f (%.2f of bare)%n",
          names[i], least, least / unit[0], median, median / unit[rounds / 2]);
    }
  }

  /** Nanoseconds a decision as one thread sees them. */
  private static double time(Slice slice, int threads) throws InterruptedException {
    if (threads == 1) {
      long start = System.nanoTime();
      sink += slice.run();
      return (System.nanoTime() - start) / (double) CALLS;
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
                sink += slice.run();
                total.addAndGet(System.nanoTime() - start);
                done.countDown();
              })
          .start();
    }
    done.await();
    return total.get() / (double) threads / CALLS;
  }

  private static volatile int sink;

  private int bare() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += Peers.bareGcra(tat) ? 1 : 0;
    }
    return allowed;
  }

  private int sluice() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += sluice.tryAcquire(key).allowed() ? 1 : 0;
    }
    return allowed;
  }

  private int locked() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += locked.tryConsume(1) ? 1 : 0;
    }
    return allowed;
  }

  private int lockFree() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += lockFree.tryConsume(1) ? 1 : 0;
    }
    return allowed;
  }

  private int guava() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += guava.tryAcquire() ? 1 : 0;
    }
    return allowed;
  }

  private int resilience4j() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += resilience4j.acquirePermission() ? 1 : 0;
    }
    return allowed;
  }
}
