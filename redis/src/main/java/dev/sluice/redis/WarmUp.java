package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first decisions of a process that has just started, on every way through the store: a
 * caller's first request must not find the store too slow because classes are loaded and scripts
 * are sent, nor the first crowd because nothing is compiled yet. What they take is forgotten, and
 * would be gone after two seconds.
 */
final class WarmUp {
  private static final String POLICY = "sluice-warm-up";
  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
  private static final int ROUNDS = 50;
  // Of those that travel together, 0.2 seconds on the same machine.
  private static final int CROWDS = 150;
  private static final int CROWD = 256;
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);
  // Others may be at work on the server: a busy one meets fewer.
  private static final long LONGEST_CROWDED_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  // What is loaded the first time takes longer than a decision may.
  private static final Duration DEADLINE = Duration.ofSeconds(2);
  private static final Duration SHORT = Duration.ofSeconds(1);
  // Those that travel together, those with a quick script of their own, and everything else.
  private static final List<Limit> WAYS =
      List.of(
          Limit.tokenBucket(1_000_000, SHORT),
          Limit.slidingLog(1_000, SHORT),
          Limit.concurrency(1_000).lease(SHORT));
  private static final List<String> KEYS = List.of("one", "two", "three");

  private final List<RateLimiter> ways;
  private final List<String> crowd;

  private WarmUp(Store store, RedisOptions options) {
    this.crowd =
        IntStream.range(0, Math.min(CROWD, options.maxWaiting()))
            .mapToObj(Integer::toString)
            .toList();
    // Not closed, for that would close the store.
    Sluice sluice = Sluice.of(store);
    this.ways = WAYS.stream().map(way -> sluice.unlisted(policy(way))).toList();
  }

  private static Policy policy(Limit limit) {
    return Policy.named(POLICY)
        .limits(List.of(limit))
        .onStoreFailure(OnStoreFailure.DENY)
        .deadline(DEADLINE)
        .build();
  }

  /** Decides; asks no more after 1.3 seconds. A store that cannot is none of its business. */
  static void run(Store store, RedisOptions options) {
    try {
      new WarmUp(store, options).decide();
    } catch (CompletionException | StoreUnavailableException failed) {
      // The first who asks will hear it.
      LOG.debug("redis: {} is not warmed up", store, failed);
    }
  }

  private void decide() {
    List<RateLimiter> quickest = ways.subList(0, 1);
    long until = System.nanoTime() + LONGEST_NANOS;
    for (int i = 0; i < ROUNDS && until - System.nanoTime() > 0; i++) {
      together(ways, KEYS, RateLimiter::tryAcquireAsync);
      // Alone, on this thread.
      ways.get(i % ways.size()).tryAcquire(KEYS.get(0));
    }
    long crowdedUntil = System.nanoTime() + LONGEST_CROWDED_NANOS;
    for (int i = 0; i < CROWDS && crowdedUntil - System.nanoTime() > 0; i++) {
      together(quickest, crowd, RateLimiter::tryAcquireAsync);
    }
    together(ways, KEYS, RateLimiter::resetAsync);
    together(quickest, crowd, RateLimiter::resetAsync);
  }

  /** All are asked before the first is waited for. */
  private static void together(
      List<RateLimiter> ways,
      List<String> keys,
      BiFunction<RateLimiter, String, CompletableFuture<Decision>> ask) {
    ways.stream()
        .flatMap(way -> keys.stream().map(key -> ask.apply(way, key)))
        .toList()
        .forEach(CompletableFuture::join);
  }
}
