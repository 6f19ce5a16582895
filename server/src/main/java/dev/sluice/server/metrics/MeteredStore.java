package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.Request;
import dev.sluice.Store;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A store with a stopwatch: {@code sluice_store_seconds}, failures included. */
public final class MeteredStore implements Store {
  private final Store store;
  private final Times times;

  /** Times every call of {@code store}, which is closed with this. */
  public MeteredStore(Store store, PrometheusMeterRegistry registry) {
    this.store = store;
    this.times =
        new TimesCollector("sluice_store_seconds", "Time in the store", registry).of(Labels.EMPTY);
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
  public CompletableFuture<Decision> decideAsync(Request request, Ending then) {
    long started = System.nanoTime();
    return store.decideAsync(
        request,
        (answer, failure) -> {
          times.record(System.nanoTime() - started);
          return then.apply(answer, failure);
        });
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
      times.record(System.nanoTime() - started);
    }
  }

  private <T> CompletableFuture<T> timedAsync(Supplier<CompletableFuture<T>> call) {
    long started = System.nanoTime();
    return call.get().whenComplete((answer, failure) -> times.record(System.nanoTime() - started));
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
