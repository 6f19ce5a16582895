package dev.sluice;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A store whose first asynchronous answer comes when a test says so. */
final class LateStore implements Store {
  private final Store behind;
  private final CompletableFuture<Void> answered = new CompletableFuture<>();

  LateStore(Store behind) {
    this.behind = behind;
  }

  void answer() {
    answered.complete(null);
  }

  @Override
  public Decision decide(Request request) {
    return behind.decide(request);
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request) {
    return answered.thenApply(now -> behind.decide(request));
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    return behind.decideTogether(requests);
  }

  @Override
  public void close() {
    behind.close();
  }
}
