package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;

class AttemptTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Call CALL = new Call(Script.of("return 1"), List.of(), List.of());

  /** A cluster in which a slot is always on its way. */
  private static final class Migrating implements Transport {
    private volatile boolean closed;

    @Override
    public CompletableFuture<List<Object>> send(Call call, Form form, long deadlineNanos) {
      return CompletableFuture.failedFuture(
          closed
              ? new TransportException(RedisFailure.UNREACHABLE, "not connected to it", null)
              : TransportException.ofReply("TRYAGAIN Multiple keys request", null));
    }

    @Override
    public CompletableFuture<Void> connect() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<Object>> command(String... words) {
      return CompletableFuture.completedFuture(List.of());
    }

    @Override
    public Object nodeOf(Call call) {
      return this;
    }

    @Override
    public Set<Object> nodes() {
      return Set.of(this);
    }

    @Override
    public Lanes lanes(Prepared plan, String key) {
      return null;
    }

    @Override
    public boolean together(byte[] key, byte[] other) {
      return true;
    }

    @Override
    public void reconnect(Call call) {}

    @Override
    public boolean connected() {
      return !closed;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  void whoPausesBeforeItIsSentAgainIsToldThatTheStoreWasClosed() {
    Migrating transport = new Migrating();
    ScheduledExecutorService timer = new ScheduledThreadPoolExecutor(1);
    Breaker breaker = new Breaker();
    Attempt attempt =
        new Attempt(transport, timer, breaker, "test", CALL, System.nanoTime(), Duration.ofHours(1))
            .start()
            .expiring();
    timer.shutdownNow();
    transport.close();
    assertThat(attempt)
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .withMessage("redis: no decision for policy 'test': not connected to it");
  }

  /**
   * On Java 17 one thread of the JVM tells all timeouts, and who blocks it holds up all of them.
   */
  @Test
  void whoIsToldAfterAPauseIsNotToldOnTheThreadOfAllTimeouts() {
    Migrating transport = new Migrating();
    ScheduledExecutorService timer = new ScheduledThreadPoolExecutor(1);
    Breaker breaker = new Breaker();
    Attempt attempt =
        new Attempt(transport, timer, breaker, "test", CALL, System.nanoTime(), Duration.ofHours(1))
            .start();
    CompletableFuture<String> told =
        attempt.handle((reply, failure) -> Thread.currentThread().getName());
    transport.close();
    assertThat(told).succeedsWithin(SOON).isNotEqualTo("CompletableFutureDelayScheduler");
    timer.shutdownNow();
  }
}
