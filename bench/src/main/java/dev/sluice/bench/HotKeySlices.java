package dev.sluice.bench;

import com.google.common.util.concurrent.RateLimiter;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One hot key, in slices: {@code HotKeySlices [threads [rounds [ticking]]]}. Sluice has an exact
 * clock or one that ticks: not both, or each would pay for what the compiler knows of the other.
 */
public final class HotKeySlices {
  private static final int CALLS = 10_000;

  private final AtomicLong tat = new AtomicLong();
  private final dev.sluice.RateLimiter sluice;
  private final Bucket locked = Peers.bucket4j(SynchronizationStrategy.SYNCHRONIZED);
  private final Bucket lockFree = Peers.bucket4j(SynchronizationStrategy.LOCK_FREE);
  private final RateLimiter guava = Peers.guava();
  private final io.github.resilience4j.ratelimiter.RateLimiter resilience4j = Peers.resilience4j();
  // Not a constant, whose hash and look-up the compiler would do once and for all.
  private String key = "user:42";

  private HotKeySlices(Store store) {
    this.sluice = Peers.sluice(store);
  }

  public static void main(String[] args) throws InterruptedException {
    int threads = args.length > 0 ? Integer.parseInt(args[0]) : 1;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 1_000;
    boolean ticking = args.length > 2 && args[2].equals("ticking");
    HotKeySlices hot =
        new HotKeySlices(ticking ? InMemoryStore.ticking(1_000) : new InMemoryStore());
    new Slices(CALLS)
        .add("bare GCRA on an AtomicLong", hot::bare)
        .add(ticking ? "Sluice, ticking clock" : "Sluice", hot::sluice)
        .add("Guava", hot::guava)
        .add("Bucket4j synchronized", hot::locked)
        .add("Bucket4j lock-free", hot::lockFree)
        .add("Resilience4j", hot::resilience4j)
        .run("one hot key", threads, rounds);
  }

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
