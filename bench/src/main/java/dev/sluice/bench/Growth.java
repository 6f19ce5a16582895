package dev.sluice.bench;

import dev.sluice.RateLimiter;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What a decision costs with more and more keys, and in a store that is full of them. Beside it
 * stands what memory alone costs: a look at the key and a number in an array that fits the keys.
 */
public final class Growth {
  private static final int CALLS = 20_000;
  private static final int MOST = 10_000_000;

  private final String[] names = Peers.names(MOST);

  private Growth() {}

  public static void main(String[] args) throws InterruptedException {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 100;
    Growth growth = new Growth();
    Slices slices = new Slices(CALLS);
    for (int keys = 1_000; keys <= MOST; keys *= 10) {
      int count = keys;
      RateLimiter limiter = growth.filled(count, 2L * count);
      AtomicLongArray bare = new AtomicLongArray(Integer.highestOneBit(count) << 1);
      slices.add("%,d keys".formatted(count), () -> growth.known(limiter, count));
      slices.add("%,d keys, bare".formatted(count), () -> growth.bare(bare, count));
    }
    int cap = 1_000_000;
    RateLimiter full = growth.filled(cap, cap);
    slices.add("known keys of a full store", () -> growth.known(full, cap));
    slices.add("new keys at a full store", () -> growth.unknown(full, cap));
    slices.run("growth", 1, rounds);
  }

  private RateLimiter filled(int keys, long cap) {
    RateLimiter limiter = Footprint.sluice(cap);
    for (int i = 0; i < keys; i++) {
      limiter.tryAcquire(names[i]);
    }
    return limiter;
  }

  private int known(RateLimiter limiter, int keys) {
    int allowed = 0;
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 0; i < CALLS; i++) {
      allowed += limiter.tryAcquire(names[random.nextInt(keys)]).allowed() ? 1 : 0;
    }
    return allowed;
  }

  private int bare(AtomicLongArray tats, int keys) {
    int allowed = 0;
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 0; i < CALLS; i++) {
      allowed += Peers.bareGcra(tats, names[random.nextInt(keys)]) ? 1 : 0;
    }
    return allowed;
  }

  private int unknown(RateLimiter limiter, int from) {
    int allowed = 0;
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 0; i < CALLS; i++) {
      allowed += limiter.tryAcquire(names[random.nextInt(from, 2 * from)]).allowed() ? 1 : 0;
    }
    return allowed;
  }
}
