package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.Request;
import dev.sluice.Store;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A store with a stopwatch: {@code sluice_store_seconds}, failures included. */
public final class MeteredStore implements Store {
  private final Store store;
  private final Timer timer;

  /** Times every call of {@code store}, which is closed with this. */
  public MeteredStore(Store store, MeterRegistry registry) {
    this.store = store;
    this.timer = DecisionMetrics.histogram("sluice.store", "Time in the store").register(registry);
  }

  @Override
  public Decision decide(Request request) {
    return timed(() -> store.decide(request));
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    return timed(() -> store.decideTogether(requests));
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request) {
    return timedAsync(() -> store.decideAsync(request));
  }

  @Override
  public CompletableFuture<List<Decision>> decideTogetherAsync(List<Request> requests) {
    return timedAsync(() -> store.decideTogetherAsync(requests));
  }

  /** Around this, so that what never reaches the store is not timed. */
  @Override
  public Store tiers(Store asked) {
    return store.tiers(asked);
  }

  private <T> T timed(Supplier<T> call) {
    long started = System.nanoTime();
    try {
      return call.get();
    } finally {
      timer.record(System.nanoTime() - started, TimeUnit.NANOSECONDS);
    }
  }

  private <T> CompletableFuture<T> timedAsync(Supplier<CompletableFuture<T>> call) {
    long started = System.nanoTime();
    return call.get()
        .whenComplete(
            (answer, failure) -> timer.record(System.nanoTime() - started, TimeUnit.NANOSECONDS));
  }

  @Override
  public void close() {
    store.close();
  }

  @Override
  public String toString() {
    return store.toString();
  }
}
