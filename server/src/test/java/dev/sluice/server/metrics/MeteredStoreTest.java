package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import dev.sluice.memory.InMemoryStore;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MeteredStoreTest {
  private static final Limit LIMIT = Limit.tokenBucket(10, Duration.ofSeconds(1));

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private double figure(String name) {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  /** A store that is elsewhere: the first call is quick, all others take a millisecond. */
  private static final class Distant implements Store {
    private final Store near = new InMemoryStore();
    private @Nullable Request last;

    @Override
    public Decision decide(Request request) {
      long until = System.nanoTime() + (last != null ? TimeUnit.MILLISECONDS.toNanos(1) : 0);
      while (System.nanoTime() < until) {
        LockSupport.parkNanos(until - System.nanoTime());
      }
      last = request;
      return near.decide(request);
    }

    @Override
    public List<Decision> decideTogether(List<Request> requests) {
      throw new StoreUnavailableException("down", "out of reach", null);
    }

    @Override
    public void close() {}
  }

  @Test
  void everyCallOfTheMemoryStoreIsCountedThoughNotEachIsTimed() {
    try (Sluice sluice = Sluice.of(new MeteredStore(new InMemoryStore(), registry))) {
      RateLimiter limiter = sluice.limiter("p", LIMIT);
      for (int i = 0; i < 500; i++) {
        limiter.tryAcquire("k");
        limiter.tryAcquireAsync("k").join();
      }
      assertThat(figure("sluice_store_seconds_count")).isEqualTo(1_000);
      assertThat(figure("sluice_store_seconds_sum")).isPositive();
    }
  }

  @Test
  void everyCallOfAnotherStoreIsTimed() {
    try (Sluice sluice = Sluice.of(new MeteredStore(new Distant(), registry))) {
      RateLimiter limiter = sluice.limiter("p", LIMIT);
      for (int i = 0; i < 20; i++) {
        limiter.tryAcquire("k");
      }
      assertThat(figure("sluice_store_seconds_count")).isEqualTo(20);
      assertThat(figure("sluice_store_seconds_bucket{le=\"5.0E-4\"}")).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void callIsTimedFromWhenTheCallerSaysThatItBegan() {
    Distant distant = new Distant();
    MeteredStore store = new MeteredStore(distant, registry);
    Sluice.of(store).limiter("p", LIMIT).tryAcquire("k");
    long aMinuteAgo = System.nanoTime() - TimeUnit.MINUTES.toNanos(1);
    Decision answer = store.decideAsync(distant.last, aMinuteAgo, (told, failure) -> told).join();
    assertThat(answer.allowed()).isTrue();
    assertThat(figure("sluice_store_seconds_count")).isEqualTo(2);
    assertThat(figure("sluice_store_seconds_sum")).isBetween(60.0, 120.0);
  }

  @Test
  void failedCallsCountToo() {
    MeteredStore store = new MeteredStore(new Distant(), registry);
    assertThatThrownBy(() -> store.decideTogether(List.of()))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(figure("sluice_store_seconds_count")).isEqualTo(1);
  }
}
