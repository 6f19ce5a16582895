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
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
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

  private final RateLimiter limiter;
  private final Readiness readiness;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "sluice-probe");
            thread.setDaemon(true);
            return thread;
          });

  StoreProbe(Store store, Readiness readiness) {
    Policy policy =
        Policy.named("sluice-probe")
            .limits(List.of(Limit.tokenBucket(1, Duration.ofSeconds(1))))
            .onStoreFailure(OnStoreFailure.DENY)
            .deadline(DEADLINE)
            .build();
    // A Sluice of its own: the probe must not count as a decision.
    this.limiter = Sluice.of(store).unlisted(policy);
    this.readiness = readiness;
  }

  /** Asks once, now; what went wrong, if anything did. */
  Optional<StoreUnavailableException> ask() {
    try {
      limiter.reset("probe");
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
