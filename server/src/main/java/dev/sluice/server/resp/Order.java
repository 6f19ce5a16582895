package dev.sluice.server.resp;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Has the commands of one connection take effect in the order in which they were sent, as in Redis,
 * where somebody could tell: those for one key follow each other, others need not wait. A store
 * that answers at once has no use for it.
 */
final class Order {
  private final Map<String, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();
  private CompletableFuture<?> everything = CompletableFuture.completedFuture(null);

  /** Runs a command for a key after all that were sent for it before. */
  <T> CompletableFuture<T> next(String policy, String key, Supplier<CompletableFuture<T>> command) {
    String name = policy + '\n' + key;
    CompletableFuture<T> mine = after(underWay.getOrDefault(name, everything), command);
    if (!mine.isDone()) {
      underWay.put(name, mine);
      CompletableFuture<T> unused =
          mine.whenComplete((answer, failure) -> underWay.remove(name, mine));
    }
    return mine;
  }

  /** Runs a command after all that were sent before it, and before all that are sent after. */
  <T> CompletableFuture<T> alone(Supplier<CompletableFuture<T>> command) {
    CompletableFuture<?>[] before = underWay.values().toArray(CompletableFuture[]::new);
    CompletableFuture<T> mine =
        after(CompletableFuture.allOf(everything, CompletableFuture.allOf(before)), command);
    underWay.clear();
    everything = mine;
    return mine;
  }

  private static <T> CompletableFuture<T> after(
      CompletableFuture<?> before, Supplier<CompletableFuture<T>> command) {
    return before.isDone()
        ? command.get()
        : before.handle((answer, failure) -> true).thenCompose(ended -> command.get());
  }
}
