package dev.sluice.bench;

import dev.sluice.Limit;
import dev.sluice.MicroClock;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Heap bytes a key beyond the key's own text, for a million keys. */
public final class Footprint {
  private static final int KEYS = 1_000_000;

  private Footprint() {}

  static dev.sluice.RateLimiter sluice(long maxKeys) {
    return Sluice.of(new InMemoryStore(MicroClock.system(), maxKeys))
        .limiter("bench", Limit.tokenBucket(Peers.RATE, Duration.ofDays(1)));
  }

  public static void main(String[] args) {
    String[] names = Peers.names(KEYS);
    report("ConcurrentHashMap and AtomicLong", names, map(k -> new AtomicLong()));
    report("Guava in a ConcurrentHashMap", names, map(k -> Peers.guava()));
    report(
        "Bucket4j in a ConcurrentHashMap",
        names,
        map(k -> Peers.bucket4j(SynchronizationStrategy.LOCK_FREE)));
    report("Resilience4j in a ConcurrentHashMap", names, map(k -> Peers.resilience4j()));
    dev.sluice.RateLimiter sluice = sluice(2L * KEYS);
    report("Sluice", names, sluice::tryAcquire);
  }

  private static <T> Function<String, Object> map(Function<String, T> value) {
    Map<String, T> map = new ConcurrentHashMap<>();
    return key -> map.computeIfAbsent(key, value);
  }

  private static void report(String what, String[] names, Function<String, Object> use) {
    long before = used();
    for (String name : names) {
      use.apply(name);
    }
    long bytes = used() - before;
    // Touched again after measuring, so that the collector cannot take it away before.
    use.apply(names[0]);
    System.out.printf("%-40s %4d bytes a key%n", what, bytes / KEYS);
  }

  private static long used() {
    for (int i = 0; i < 5; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
