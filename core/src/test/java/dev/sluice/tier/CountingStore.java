package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A store far away: it counts who comes, and keeps answers back until a test lets them go. */
final class CountingStore implements Store {
  private final Store behind;
  private final Deque<Kept> kept = new ConcurrentLinkedDeque<>();
  final List<Request> asked = Collections.synchronizedList(new ArrayList<>());
  volatile boolean keepsAnswers;
  // Decided only when their answers are let go, so that others overtake them.
  volatile Predicate<Request> slow = request -> false;
  volatile boolean dead;
  volatile boolean closed;
  final List<Request> askedTooLate = Collections.synchronizedList(new ArrayList<>());
  volatile Runnable onTheWay = () -> {};

  private record Kept(CompletableFuture<Decision> answer, Supplier<Decision> decision) {
    void go() {
      answer.complete(decision.get());
    }
  }

  CountingStore(Store behind) {
    this.behind = behind;
  }

  int calls() {
    return asked.size();
  }

  long calls(Request.Mode mode) {
    return asked.stream().filter(request -> request.mode() == mode).count();
  }

  @Override
  public Decision decide(Request request) {
    if (dead) {
      throw new StoreUnavailableException("dead", "store: nobody asks any more", null);
    }
    asked.add(request);
    return behind.decide(request);
  }

  /** Decided at once; the answer may travel for long. */
  @Override
  public CompletableFuture<Decision> decideAsync(Request request) {
    onTheWay.run();
    if (closed) {
      askedTooLate.add(request);
    }
    CompletableFuture<Decision> answer = new CompletableFuture<>();
    if (slow.test(request)) {
      kept.add(new Kept(answer, () -> decide(request)));
      return answer;
    }
    Decision decision;
    try {
      decision = decide(request);
    } catch (StoreUnavailableException failure) {
      return CompletableFuture.failedFuture(failure);
    }
    if (keepsAnswers) {
      kept.add(new Kept(answer, () -> decision));
    } else {
      answer.complete(decision);
    }
    return answer;
  }

  int kept() {
    return kept.size();
  }

  /** Others are kept still. */
  void letOldestGo() {
    kept.remove().go();
  }

  /** Nobody hears what was decided. */
  void loseAll() {
    for (Kept lost; (lost = kept.poll()) != null; ) {
      lost.answer.completeExceptionally(
          new StoreUnavailableException("lost", "store: nobody heard", null));
    }
  }

  void letGo() {
    letGo(kept::pollFirst);
  }

  void letGoNewestFirst() {
    letGo(kept::pollLast);
  }

  private void letGo(Supplier<@Nullable Kept> next) {
    keepsAnswers = false;
    for (Kept answer; (answer = next.get()) != null; ) {
      answer.go();
    }
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    asked.addAll(requests);
    return behind.decideTogether(requests);
  }

  @Override
  public void close() {
    closed = true;
    behind.close();
  }

  @Override
  public String toString() {
    return "a store far away";
  }
}
