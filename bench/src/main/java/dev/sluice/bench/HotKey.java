package dev.sluice.bench;

import com.google.common.util.concurrent.RateLimiter;
import dev.sluice.memory.InMemoryStore;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * One decision on one key that everybody wants; the peers have no keys, so they skip the look-up.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HotKey {
  private final dev.sluice.RateLimiter sluice = Peers.sluice(new InMemoryStore());
  private final dev.sluice.RateLimiter ticking = Peers.sluice(InMemoryStore.ticking(1_000));
  // Not a constant, whose hash and look-up the compiler would do once and for all.
  private String key = "user:42";
  private final Bucket lockFree = Peers.bucket4j(SynchronizationStrategy.LOCK_FREE);
  private final Bucket locked = Peers.bucket4j(SynchronizationStrategy.SYNCHRONIZED);
  private final RateLimiter guava = Peers.guava();
  private final io.github.resilience4j.ratelimiter.RateLimiter resilience4j = Peers.resilience4j();
  private final AtomicLong tat = new AtomicLong();

  @Benchmark
  public boolean sluice() {
    return sluice.tryAcquire(key).allowed();
  }

  @Benchmark
  public boolean sluiceTicking() {
    return ticking.tryAcquire(key).allowed();
  }

  @Benchmark
  public boolean bucket4jLockFree() {
    return lockFree.tryConsume(1);
  }

  @Benchmark
  public boolean bucket4jSynchronized() {
    return locked.tryConsume(1);
  }

  @Benchmark
  public boolean guava() {
    return guava.tryAcquire();
  }

  @Benchmark
  public boolean resilience4j() {
    return resilience4j.acquirePermission();
  }

  @Benchmark
  public boolean bareGcra() {
    return Peers.bareGcra(tat);
  }
}
