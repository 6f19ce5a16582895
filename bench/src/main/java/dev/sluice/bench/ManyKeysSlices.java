package dev.sluice.bench;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;

/** Keys at random out of a million, in slices: {@code ManyKeysSlices [threads [rounds]]}. */
public final class ManyKeysSlices {
  private static final int CALLS = 200_000;
  private static final int KEYS = 1_000_000;

  private final String[] names = Peers.names(KEYS);
  private final dev.sluice.RateLimiter sluice = filled(Footprint.sluice(2L * KEYS));
  private final AtomicLongArray array = new AtomicLongArray(Integer.highestOneBit(KEYS) << 1);
  private final Map<String, AtomicLong> tats = filled(k -> new AtomicLong());
  private final Map<String, RateLimiter> guava = filled(k -> Peers.guava());
  private final Map<String, Bucket> bucket4j =
      filled(k -> Peers.bucket4j(SynchronizationStrategy.LOCK_FREE));
  private final Map<String, io.github.resilience4j.ratelimiter.RateLimiter> resilience4j =
      filled(k -> Peers.resilience4j());

  private ManyKeysSlices() {}

  public static void main(String[] args) throws InterruptedException {
    int threads = args.length > 0 ? Integer.parseInt(args[0]) : 2;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 40;
    ManyKeysSlices many = new ManyKeysSlices();
    new Slices(CALLS)
        .add("ConcurrentHashMap and AtomicLong", many::bare)
        .add("an array by hash, no keys", many::array)
        .add("Sluice", many::sluice)
        .add("Guava", many::guava)
        .add("Bucket4j", many::bucket4j)
        .add("Resilience4j", many::resilience4j)
        .run("a million keys", threads, rounds);
  }

  private <T> Map<String, T> filled(Function<String, T> make) {
    Map<String, T> map = new ConcurrentHashMap<>();
    for (String name : names) {
      map.put(name, make.apply(name));
    }
    return map;
  }

  private dev.sluice.RateLimiter filled(dev.sluice.RateLimiter limiter) {
    for (String name : names) {
      limiter.tryAcquire(name);
    }
    return limiter;
  }

  private String key() {
    return names[ThreadLocalRandom.current().nextInt(KEYS)];
  }

  private int bare() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      AtomicLong tat = tats.computeIfAbsent(key(), k -> new AtomicLong());
      allowed += Peers.bareGcra(tat) ? 1 : 0;
    }
    return allowed;
  }

  private int array() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += Peers.bareGcra(array, key()) ? 1 : 0;
    }
    return allowed;
  }

  private int sluice() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += sluice.tryAcquire(key()).allowed() ? 1 : 0;
    }
    return allowed;
  }

  private int guava() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += guava.computeIfAbsent(key(), k -> Peers.guava()).tryAcquire() ? 1 : 0;
    }
    return allowed;
  }

  private int bucket4j() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      Bucket bucket =
          bucket4j.computeIfAbsent(key(), k -> Peers.bucket4j(SynchronizationStrategy.LOCK_FREE));
      allowed += bucket.tryConsume(1) ? 1 : 0;
    }
    return allowed;
  }

  private int resilience4j() {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed +=
          resilience4j.computeIfAbsent(key(), k -> Peers.resilience4j()).acquirePermission()
              ? 1
              : 0;
    }
    return allowed;
  }
}
