package dev.sluice;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where state lives, and where a decision is atomic. Implementations are safe for use by many
 * threads.
 *
 * <p>Every method decides at one instant of the store's own clock. A store that cannot decide
 * throws {@link StoreUnavailableException} (or completes with it); it never answers in its place.
 */
public interface Store extends AutoCloseable {
  /**
   * What a caller sees of an answer, or of the failure where there is none. Called once, by the
   * thread that has the answer; what it throws is the failure that the caller sees.
   */
  @FunctionalInterface
  interface Ending extends BiFunction<@Nullable Decision, @Nullable Throwable, Decision> {}

  /** Decides one request: all limits of its plan are charged, or none. */
  Decision decide(Request request);

  /**
   * Decides the most common request, {@code cost} permits now, without the object that a {@link
   * Request} is. The plan has no concurrency limit, which would need a name for what is held.
   */
  default Decision tryAcquire(Plan plan, String key, long cost) {
    return decide(Request.acquire(plan, key, cost));
  }

  /**
   * A shorter way to the most common request for the keys of a plan, or {@code otherwise}, which a
   * shorter way also takes for what is not so common: long keys, bad input, failures.
   */
  default Gate gate(Plan plan, Gate otherwise) {
    return otherwise;
  }

  /** As {@link #decide}, without blocking the caller. */
  default CompletableFuture<Decision> decideAsync(Request request) {
    try {
      return CompletableFuture.completedFuture(decide(request));
    } catch (StoreUnavailableException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /**
   * As {@link #decideAsync(Request)}; the future ends with what {@code then} makes of the answer,
   * or of the failure. A store whose futures are its own makes no other for that: then cancelling
   * one that has not been sent yet takes nothing, and {@code then} hears of a failure.
   */
  default CompletableFuture<Decision> decideAsync(Request request, Ending then) {
    return decideAsync(request).handle(then);
  }

  /**
   * As {@link #decideAsync(Request, Ending)}, for a caller who has just looked at the clock.
   *
   * @param startedNanos that moment of {@link System#nanoTime}: deadlines count from it
   */
  default CompletableFuture<Decision> decideAsync(Request request, long startedNanos, Ending then) {
    return decideAsync(request, then);
  }

  /**
   * Decides several requests of mode {@link Request.Mode#ACQUIRE} in order, all or nothing. Where
   * one is denied, nothing is charged and each answer says what its own limits said.
   */
  List<Decision> decideTogether(List<Request> requests);

  /** As {@link #decideTogether}, without blocking the caller. */
  default CompletableFuture<List<Decision>> decideTogetherAsync(List<Request> requests) {
    try {
      return CompletableFuture.completedFuture(decideTogether(requests));
    } catch (StoreUnavailableException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /**
   * What is asked in place of {@code asked}, which is this store or one around it, so that not
   * every decision has to travel. A store in this process needs nothing of the kind.
   */
  default Store tiers(Store asked) {
    return asked;
  }

  /** Permits of a policy that this process took ahead of need and has not used yet. */
  default long leased(String policy) {
    return 0;
  }

  /** Frees what the store holds: connections, threads. The state stays where it is. */
  @Override
  void close();
}
