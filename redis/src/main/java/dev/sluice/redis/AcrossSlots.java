package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Request;
import dev.sluice.Request.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Requests decided together whose keys are on several nodes of a cluster: no script can see them
 * all. Those of one slot are asked in one call; calls follow each other, and at the first denial,
 * or failure, what was taken is given back. So nothing is ever let through too much, and others may
 * be denied while permits are on their way back.
 */
final class AcrossSlots {
  private record Outcome(@Nullable List<Decision> answers, @Nullable Throwable failure) {}

  private final RedisStore store;
  private final List<Request> requests;
  private final List<List<Integer>> groups = new ArrayList<>();
  private final @Nullable Decision[] decisions;

  AcrossSlots(RedisStore store, List<Request> requests) {
    this.store = store;
    this.requests = requests;
    this.decisions = new @Nullable Decision[requests.size()];
    for (int i = 0; i < requests.size(); i++) {
      group(i).add(i);
    }
  }

  private List<Integer> group(int i) {
    for (List<Integer> group : groups) {
      if (store.together(requests.get(group.get(0)), requests.get(i))) {
        return group;
      }
    }
    List<Integer> made = new ArrayList<>();
    groups.add(made);
    return made;
  }

  CompletableFuture<List<Decision>> decide() {
    return take(0);
  }

  /** Waits for a decision across slots; each of its calls has its own deadline. */
  static List<Decision> join(CompletableFuture<List<Decision>> decision) {
    try {
      return decision.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw failed;
    }
  }

  private CompletableFuture<List<Decision>> take(int at) {
    if (at == groups.size()) {
      return CompletableFuture.completedFuture(answers());
    }
    return store
        .decideSoon(asked(groups.get(at), Mode.ACQUIRE))
        .handle(Outcome::new)
        .thenCompose(outcome -> after(at, outcome));
  }

  private CompletableFuture<List<Decision>> after(int at, Outcome outcome) {
    List<Decision> answers = outcome.answers;
    if (answers == null) {
      return giveBack(at).thenCompose(done -> failed(outcome.failure));
    }
    remember(groups.get(at), answers);
    return answers.stream().allMatch(Decision::allowed)
        ? take(at + 1)
        : giveBack(at).thenCompose(done -> peekOthers(at));
  }

  private static CompletableFuture<List<Decision>> failed(@Nullable Throwable failure) {
    return CompletableFuture.failedFuture(Objects.requireNonNull(failure));
  }

  /** Gives back what the groups before {@code end} took. What cannot be given back stays taken. */
  private CompletableFuture<?> giveBack(int end) {
    List<CompletableFuture<?>> given = new ArrayList<>();
    for (List<Integer> group : groups.subList(0, end)) {
      for (int i : group) {
        Request taken = requests.get(i);
        long at = Objects.requireNonNull(decisions[i]).passesAtMicros();
        if (taken.id() != null && taken.plan().concurrent()) {
          given.add(store.decideAsync(withMode(taken, Mode.RELEASE, 0)));
        }
        given.add(store.decideAsync(withMode(taken, Mode.GIVE_BACK, at)));
      }
    }
    return CompletableFuture.allOf(given.toArray(CompletableFuture<?>[]::new))
        .handle((done, failure) -> this);
  }

  /** Each answer says what its own limits say when nothing is taken. */
  private CompletableFuture<List<Decision>> peekOthers(int denied) {
    CompletableFuture<?> peeked = CompletableFuture.completedFuture(this);
    for (int g = 0; g < groups.size(); g++) {
      for (int i : g == denied ? List.<Integer>of() : groups.get(g)) {
        Request peek = withMode(requests.get(i), Mode.PEEK, 0);
        peeked =
            peeked
                .thenCompose(done -> store.decideAsync(peek))
                // The denial stands, whatever this one would have said.
                .exceptionally(failure -> Decision.unknown(peek))
                .thenAccept(answer -> decisions[i] = answer);
      }
    }
    return peeked.thenApply(done -> answers());
  }

  private List<Request> asked(List<Integer> group, Mode mode) {
    return group.stream().map(i -> withMode(requests.get(i), mode, 0)).toList();
  }

  private void remember(List<Integer> group, List<Decision> answers) {
    for (int j = 0; j < answers.size(); j++) {
      decisions[group.get(j)] = answers.get(j);
    }
  }

  private List<Decision> answers() {
    List<Decision> answers = new ArrayList<>();
    for (Decision decision : decisions) {
      answers.add(Objects.requireNonNull(decision));
    }
    return answers;
  }

  private static Request withMode(Request request, Mode mode, long timeMicros) {
    return new Request(
        request.plan(), request.key(), request.cost(), mode, 0, request.id(), timeMicros);
  }
}
