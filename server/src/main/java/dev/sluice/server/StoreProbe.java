package dev.sluice.server;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the store once a second to forget a key that nobody has, so that readiness is known without
 * traffic. Nothing is written for it, but a store that takes no writes, and so decides nothing,
 * refuses it; a peek it would answer.
 */
final class StoreProbe implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoreProbe.class);
  private static final long EVERY_MILLIS = 1_000;
  // A first connection takes longer than a decision may.
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  // A JVM that has just started takes longer for its first decisions than policies give them.
  private static final int FIRST_DECISIONS = 50;
  private static final long LONGEST_WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(1);
  // One for each way through the store: one number, hits, and everything else.
  private static final List<Limit> WAYS =
      List.of(
          Limit.tokenBucket(1_000_000, Duration.ofSeconds(1)),
          Limit.slidingLog(1_000, Duration.ofSeconds(1)),
          Limit.concurrency(1_000).lease(Duration.ofSeconds(1)));

  private final Sluice sluice;
  private final RateLimiter limiter;
  private final Readiness readiness;
  private boolean reached;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "sluice-probe");
            thread.setDaemon(true);
            return thread;
          });

  StoreProbe(Store store, Readiness readiness) {
    // A Sluice of its own: the probe must not count as a decision.
    this.sluice = Sluice.of(store);
    this.limiter = sluice.unlisted(policy(Limit.tokenBucket(1, Duration.ofSeconds(1))));
    this.readiness = readiness;
  }

  private static Policy policy(Limit limit) {
    return Policy.named("sluice-probe")
        .limits(List.of(limit))
        .onStoreFailure(OnStoreFailure.DENY)
        .deadline(DEADLINE)
        .build();
  }

  /**
   * Takes the first decisions of a process that has just started upon itself, on every way: a
   * client's first request must not find the store too slow because classes are loaded and scripts
   * are sent. What it writes is gone after two seconds.
   */
  void warmUp() {
    if (!reached) {
      return;
    }
    long started = System.nanoTime();
    List<RateLimiter> ways = WAYS.stream().map(way -> sluice.unlisted(policy(way))).toList();
    try {
      for (int i = 0; i < FIRST_DECISIONS; i++) {
        // Two keys travel together, one alone.
        for (Stream<String> keys : List.of(Stream.of("one", "two"), Stream.of("one"))) {
          keys.flatMap(key -> ways.stream().map(way -> way.tryAcquireAsync(key)))
              .toList()
              .forEach(CompletableFuture::join);
        }
        if (System.nanoTime() - started > LONGEST_WARM_UP_NANOS) {
          return;
        }
      }
    } catch (CompletionException failed) {
      // The store is out, or does not let us write: the first who asks will hear it.
      LOG.debug("not warmed up", failed);
    }
  }

  /** Asks once, now; what went wrong, if anything did. */
  Optional<StoreUnavailableException> ask() {
    try {
      limiter.reset("probe");
      reached = true;
      readiness.store(true);
      return Optional.empty();
    } catch (StoreUnavailableException failure) {
      readiness.store(false);
      return Optional.of(failure);
    }
  }

  /** Goes on asking in the background. */
  void start() {
    ScheduledFuture<?> unused =
        thread.scheduleWithFixedDelay(
            this::askAgain, EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void askAgain() {
    boolean before = readiness.state() != Readiness.State.DEGRADED;
    String problem = problem();
    readiness.store(problem.isEmpty());
    boolean now = readiness.state() != Readiness.State.DEGRADED;
    if (before && !now) {
      LOG.warn("the store decides nothing; policies say what is answered: {}", problem);
    } else if (!before && now) {
      LOG.info("the store decides again");
    }
  }

  /** What keeps the store from deciding; empty if nothing does. */
  private String problem() {
    try {
      return limiter
          .resetAsync("probe")
          .handle((done, failure) -> failure == null ? "" : text(failure))
          .completeOnTimeout("no answer", 5, TimeUnit.SECONDS)
          .join();
    } catch (StoreUnavailableException failed) {
      return text(failed);
    }
  }

  private static String text(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return String.valueOf(cause == null ? failure : cause.getMessage());
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
