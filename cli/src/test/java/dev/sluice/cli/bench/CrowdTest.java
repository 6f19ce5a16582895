package dev.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CrowdTest {
  private static final long FOR_EVER_MILLIS = 600_000;

  private final StoreUnavailableException lost =
      new StoreUnavailableException("connection", "the connection was lost", null);

  /** Answers once, later; then it fails at once. */
  private final class Dying implements Asked {
    private final AtomicInteger asked = new AtomicInteger();

    @Override
    public void ask(String key) {
      if (asked.incrementAndGet() > 1) {
        throw lost;
      }
    }

    @Override
    public CompletionStage<?> askAsync(String key) {
      return asked.incrementAndGet() > 1
          ? CompletableFuture.failedFuture(lost)
          : CompletableFuture.runAsync(
              () -> {}, CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS));
    }
  }

  @Test
  @Timeout(60) // where nobody hears of the failure, it is waited for without end
  void aFailureEndsItAndIsThrownAsItIs() {
    assertThatThrownBy(() -> new Crowd("", 1, 0, 1).ask(new Dying(), FOR_EVER_MILLIS))
        .isSameAs(lost);
    assertThatThrownBy(() -> new Crowd("", 0, 1, 1).ask(new Dying(), FOR_EVER_MILLIS))
        .isSameAs(lost);
  }
}
