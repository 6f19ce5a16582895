package dev.sluice;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A store that is out until told otherwise. */
final class FailingStore implements Store {
  private final Store behind;
  volatile boolean out = true;

  FailingStore(Store behind) {
    this.behind = behind;
  }

  static StoreUnavailableException failure() {
    return new StoreUnavailableException("timeout", "store: no answer within 20 ms", null);
  }

  @Override
  public Decision decide(Request request) {
    if (out) {
      throw failure();
    }
    return behind.decide(request);
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request) {
    return out
        // Not a failed future: a failure on the way arrives wrapped.
        ? CompletableFuture.supplyAsync(
            () -> {
              throw failure();
            },
            Runnable::run)
        : behind.decideAsync(request);
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    if (out) {
      throw failure();
    }
    return behind.decideTogether(requests);
  }

  @Override
  public void close() {
    behind.close();
  }
}
