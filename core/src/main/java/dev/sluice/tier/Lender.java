package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Leasing;
import dev.sluice.Request;
import dev.sluice.Store;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/** Takes slices from the store and brings them back, without anybody waiting for it. */
final class Lender {
  private final Store store;
  private final Denials denials;
  final LongSupplier nanos;
  private final Map<Long, CompletableFuture<Decision>> underway = new ConcurrentHashMap<>();
  // Unlike those of callers, these ids are known to nobody: they only have to differ.
  private final String process = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
  private final AtomicLong ids = new AtomicLong();

  Lender(Store store, Denials denials, LongSupplier nanos) {
    this.store = store;
    this.denials = denials;
    this.nanos = nanos;
  }

  Request take(Leasing leasing, String key, long size) {
    String id = process + "-" + Long.toString(ids.getAndIncrement(), 36);
    return new Request(leasing.take(), key, size, Request.Mode.ACQUIRE, 0, id, 0);
  }

  /** Asks, and tells in the future whatever goes wrong: somebody may wait for it. */
  static CompletableFuture<Decision> ask(Store store, Request request) {
    try {
      return store.decideAsync(request);
    } catch (RuntimeException | Error failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  /** Sends a request, which is underway until the answer was heard. */
  void send(Request request, BiConsumer<? super Decision, ? super Throwable> heard) {
    CompletableFuture<Decision> told = ask(store, request).whenComplete(heard);
    if (!told.isDone()) {
      long number = ids.getAndIncrement();
      underway.put(number, told);
      CompletableFuture<Decision> unused =
          told.whenComplete((decision, failure) -> underway.remove(number));
    }
  }

  /**
   * Gives back what was not used, for the instant it was charged for, and frees the hold. Where the
   * store fails, the permits are lost, which only tightens the limit, and the hold ends by itself.
   *
   * @param freed run when the hold is free, or nobody knows
   */
  void giveBack(Leasing leasing, String key, Slice slice, long unused, Runnable freed) {
    if (unused > 0) {
      Request refund =
          new Request(
              leasing.exact(), key, unused, Request.Mode.GIVE_BACK, 0, null, slice.chargedAt());
      send(refund, (decision, failure) -> denials.forget(leasing.exact().policy(), key));
    }
    Request release = new Request(leasing.hold(), key, 1, Request.Mode.RELEASE, 0, slice.id(), 0);
    send(release, (decision, failure) -> freed.run());
  }

  /** Waits until {@link #allAnswered}, but not for longer than {@code longest}. */
  void await(Duration longest) {
    allAnswered().completeOnTimeout(false, longest.toMillis(), TimeUnit.MILLISECONDS).join();
  }

  /**
   * Completes when all that was sent is answered, and then all that was sent for that, such as
   * slices that came too late and go back.
   */
  CompletableFuture<Boolean> allAnswered() {
    return answered().thenCompose(heard -> answered());
  }

  private CompletableFuture<Boolean> answered() {
    return CompletableFuture.allOf(underway.values().toArray(CompletableFuture[]::new))
        .handle((done, failure) -> true);
  }
}
