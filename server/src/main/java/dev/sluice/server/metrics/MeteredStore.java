package dev.sluice.server.metrics;

import dev.sluice.Decision;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * A store with a stopwatch: {@code sluice_store_seconds}, failures included.
 *
 * <p>Every call is counted. Of the memory store one call in sixteen, at random, is timed and stands
 * for those until the next: to look at the clock twice would take as long as to decide.
 */
public final class MeteredStore implements Store {
  private static final int TIMED = 16;

  private final Store store;
  private final Times times;
  private final boolean quick;
  private volatile long last;

  /** Times the calls of {@code store}, which is closed with this. */
  public MeteredStore(Store store, PrometheusMeterRegistry registry) {
    this.store = store;
    this.quick = store instanceof InMemoryStore;
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
    return store.decideAsync(request, timed(started(), then));
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request, long startedNanos, Ending then) {
    return store.decideAsync(request, startedNanos, timed(startedNanos, then));
  }

  private Ending timed(long started, Ending then) {
    return (answer, failure) -> {
      ended(started);
      return then.apply(answer, failure);
    };
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
    long started = started();
    try {
      return call.get();
    } finally {
      ended(started);
    }
  }

  private <T> CompletableFuture<T> timedAsync(Supplier<CompletableFuture<T>> call) {
    long started = started();
    return call.get().whenComplete((answer, failure) -> ended(started));
  }

  /** Zero where the call is not timed. */
  private long started() {
    boolean timed = !quick || last == 0 || ThreadLocalRandom.current().nextInt(TIMED) == 0;
    return timed ? System.nanoTime() : 0;
  }

  private void ended(long started) {
    long took = started == 0 ? last : System.nanoTime() - started;
    if (started != 0) {
      last = took;
    }
    times.record(took);
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
