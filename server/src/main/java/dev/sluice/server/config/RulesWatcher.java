package dev.sluice.server.config;

import dev.sluice.Sluice;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the policies file twice a second. Polling, because it also sees what file events miss:
 * network file systems, and the swapped symbolic links of Kubernetes. The file is small.
 */
public final class RulesWatcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RulesWatcher.class);
  private static final long EVERY_MILLIS = 500;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "sluice-rules");
            thread.setDaemon(true);
            return thread;
          });

  /** Starts to watch. */
  public RulesWatcher(Rules rules, Sluice sluice) {
    watch(() -> rules.refresh(sluice));
  }

  /** Watches something else, too. */
  public void watch(Runnable refresh) {
    ScheduledFuture<?> unused =
        thread.scheduleWithFixedDelay(
            () -> look(refresh), EVERY_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  private static void look(Runnable refresh) {
    try {
      refresh.run();
    } catch (RuntimeException defect) {
      // A task that throws is never run again: the next change must still be seen.
      LOG.error("a configuration file could not be looked at", defect);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
