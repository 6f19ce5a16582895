package dev.sluice.redis;

import dev.sluice.redis.RedisFailure.Remedy;
import dev.sluice.redis.StartupCheck.Findings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the server after each connection, says what it found, and remembers it. */
final class Watch {
  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);

  private final RedisAddress address;
  private final CompletableFuture<Findings> first = new CompletableFuture<>();
  private volatile @Nullable Findings last;
  private volatile long stateLosses;

  Watch(RedisAddress address) {
    this.address = address;
  }

  /** Waits for the first connection and what it shows, and refuses what will never work. */
  void awaitFirst(CompletableFuture<Void> connecting, Duration limit) {
    try {
      connecting.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      Findings found = first.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (!found.problems().isEmpty()) {
        throw new StoreConfigurationException(sentence(found.problems()), null);
      }
    } catch (ExecutionException failed) {
      TransportException problem = LettuceCall.of(failed.getCause(), RedisFailure.UNREACHABLE);
      if (problem.failure().remedy() == Remedy.CONFIGURATION) {
        throw new StoreConfigurationException(sentence(List.of(problem.getMessage())), problem);
      }
      outOfReach(root(problem));
    } catch (TimeoutException slow) {
      outOfReach("no answer within %d ms".formatted(limit.toMillis()));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      outOfReach("interrupted");
    }
  }

  private static String root(Throwable problem) {
    Throwable cause = problem;
    for (Throwable next = cause.getCause(); next != null; next = next.getCause()) {
      cause = next;
    }
    String text = cause.getMessage();
    return text == null ? cause.getClass().getSimpleName() : text;
  }

  private void outOfReach(String why) {
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
