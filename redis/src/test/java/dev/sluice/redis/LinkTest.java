package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LinkTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  /** Looked at, it was still there; asked, it is gone. */
  private static final class Closing extends ScheduledThreadPoolExecutor {
    Closing() {
      super(1);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
      throw new RejectedExecutionException("closed meanwhile");
    }
  }

  @Test
  void attemptThatFailsWhileTheStoreIsClosedTellsWhy() {
    try (RedisClient client = RedisClient.create()) {
      // Nobody listens there.
      RedisURI uri = RedisURI.create("127.0.0.1", 1);
      Link link = new Link(client, uri, "it", new Closing(), () -> {}, Link.Companion.NONE);
      assertThat(link.connect())
          .failsWithin(SOON)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(TransportException.class);
    }
  }
}
