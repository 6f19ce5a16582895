package dev.sluice.redis;

import dev.sluice.redis.RedisFailure.Remedy;
import dev.sluice.redis.StartupCheck.Findings;
import io.lettuce.core.RedisConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the server after each connection, says what it found, and remembers it. */
final class Watch {
  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

  private static final int MOST_TRIES = 5;

  private final RedisAddress address;
  private final CompletableFuture<Findings> first = new CompletableFuture<>();
  private @Nullable String outOfReach;
  private volatile @Nullable Findings last;
  private volatile long stateLosses;

  Watch(RedisAddress address) {
    this.address = address;
  }

  /**
   * Waits for the first connection and what it shows, and refuses what will never work.
   *
   * @return why the server is out of reach, if it is
   */
  Optional<String> awaitFirst(Supplier<CompletableFuture<Void>> connect, Duration limit) {
    try {
      for (int tries = 1; !connects(connect.get(), limit, tries == MOST_TRIES); tries++) {
        LOG.debug("redis: {} closed the first connection", address);
      }
      return Optional.ofNullable(outOfReach);
    } catch (TimeoutException slow) {
      return Optional.of("no answer within %d ms".formatted(limit.toMillis()));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  /** False where another try may tell more. */
  private boolean connects(CompletableFuture<Void> connecting, Duration limit, boolean last)
      throws InterruptedException, TimeoutException {
    try {
      connecting.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      Findings found = first.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (!found.problems().isEmpty()) {
        throw new StoreConfigurationException(sentence(found.problems()), null);
      }
      return true;
    } catch (ExecutionException failed) {
      TransportException problem = LettuceCall.of(failed.getCause(), RedisFailure.UNREACHABLE);
      if (problem.failure().remedy() == Remedy.CONFIGURATION) {
        throw new StoreConfigurationException(sentence(List.of(problem.getMessage())), problem);
      }
      if (!last && saysLittle(LettuceCall.root(problem))) {
        return false;
      }
      outOfReach = problem.getMessage();
      return true;
    }
  }

  /**
   * Where the server refuses the password Lettuce closes the connection, and now and then it tells
   * no more than that, or that its own handler is gone.
   */
  private static boolean saysLittle(Throwable root) {
    return root instanceof RedisConnectionException || root instanceof IllegalStateException;
  }

  void tryingOn(String why) {
    LOG.warn("redis: {} is out of reach, trying on: {}", address, why);
  }

  private String sentence(List<String> problems) {
    return "redis: %s: %s".formatted(address, String.join("; ", problems));
  }

  /** Called when a connection was made. */
  void connected(Transport transport) {
    CompletableFuture<?> unused =
        StartupCheck.run(transport, address)
            .whenComplete(
                (found, failure) -> {
                  if (found != null) {
                    found(found);
                  } else {
                    LOG.debug("redis: {} could not be checked", address, failure);
                  }
                });
  }

  private synchronized void found(Findings found) {
    Findings before = last;
    last = found;
    if (before == null || !before.warnings().equals(found.warnings())) {
      found.warnings().forEach(warning -> LOG.warn("redis: {}: {}", address, warning));
    }
    if (before != null && !before.runId().equals(found.runId()) && !before.runId().isEmpty()) {
      stateLost(address);
    }
    if (first.isDone() && !found.problems().isEmpty()) {
      LOG.error("{}", sentence(found.problems()));
    }
    first.complete(found);
  }

  /** Called when somebody answers as another process than before. */
  synchronized void stateLost(Object who) {
    stateLosses++;
    LOG.warn(
        "redis: {} is another server process than before: what it does not know is forgotten", who);
  }

  RedisHealth health(boolean ready, BreakerState breaker) {
    Findings found = last;
    return found == null
        ? new RedisHealth(ready, "unknown", breaker, stateLosses, List.of())
        : new RedisHealth(ready, found.server(), breaker, stateLosses, found.warnings());
  }
}
