package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlinesTest {
  /** Holds up whoever asks for a task until it is done. */
  private static final class Hasty extends ScheduledThreadPoolExecutor {
    Hasty() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      long due = System.nanoTime() + unit.toNanos(delay);
      while (System.nanoTime() - due < 0) {
        Thread.onSpinWait();
      }
      task.run();
      return super.schedule(() -> {}, 0, unit);
    }
  }

  @Test
  void whoIsHeldUpOnHisWayToTheLineIsLetGoAtHisDeadline() throws Exception {
    Hasty timer = new Hasty();
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      RedisAddress address = RedisAddress.parse(server.uri());
      Lanes lanes = new Lanes("it", 1, address, Stores.patience(), timer, null);
      lanes.add(Wire.open(address, Stores.patience(), address.nodes().get(0)));
      // So nobody comes for those in line.
      assertThat(lanes.takeWire()).isNotNull();
      Ticket ticket = Nowhere.ticket("k", Duration.ofMillis(1));
      CompletableFuture<Decision> decision = lanes.decideSoon(ticket);
      assertThat(decision.isCompletedExceptionally()).isTrue();
      lanes.close();
    } finally {
      timer.shutdownNow();
    }
  }
}
