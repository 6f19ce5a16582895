package dev.sluice.bench;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Keys at random out of many; the peers behind the map that their users put in front of them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ManyKeys {
  @Param("1000000")
  int keys;

  @Param({"sluice", "bareGcra", "array", "guava", "bucket4j", "resilience4j"})
  String peer;

  private String[] names;
  private Decider decider;

  /** What is measured: one decision for a key. */
  interface Decider {
    boolean decide(String key);
  }

  @Setup
  public void fill() {
    names = Peers.names(keys);
    decider = decider();
    for (String name : names) {
      decider.decide(name);
    }
  }

  private Decider decider() {
    return switch (peer) {
      case "sluice" -> {
        dev.sluice.RateLimiter limiter = Footprint.sluice(4L * keys);
        yield key -> limiter.tryAcquire(key).allowed();
      }
      case "array" -> {
        AtomicLongArray array = new AtomicLongArray(Integer.highestOneBit(keys) << 1);
        yield key -> Peers.bareGcra(array, key);
      }
      case "guava" -> {
        ConcurrentHashMap<String, RateLimiter> map = new ConcurrentHashMap<>();
        yield key -> map.computeIfAbsent(key, k -> Peers.guava()).tryAcquire();
      }
      case "bucket4j" -> {
        ConcurrentHashMap<String, Bucket> map = new ConcurrentHashMap<>();
        yield key ->
            map.computeIfAbsent(key, k -> Peers.bucket4j(SynchronizationStrategy.LOCK_FREE))
                .tryConsume(1);
      }
      case "resilience4j" -> {
        ConcurrentHashMap<String, io.github.resilience4j.ratelimiter.RateLimiter> map =
            new ConcurrentHashMap<>();
        yield key -> map.computeIfAbsent(key, k -> Peers.resilience4j()).acquirePermission();
      }
      default -> {
        ConcurrentHashMap<String, AtomicLong> map = new ConcurrentHashMap<>();
        yield key -> Peers.bareGcra(map.computeIfAbsent(key, k -> new AtomicLong()));
      }
    };
  }

  @Benchmark
  public boolean decide() {
    return decider.decide(names[ThreadLocalRandom.current().nextInt(keys)]);
  }
}
