package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A slice that a caller waits for, because nothing is in hand. */
final class Taking {
  private final LeasedPlan leased;
  private final LeasedKey slices;
  private final Plan plan;
  private final Question question;
  private final Request take;
  private final LongSupplier nanos;

  Taking(
      LeasedPlan leased,
      LeasedKey slices,
      Plan plan,
      Question question,
      Request take,
      LongSupplier nanos) {
    this.leased = leased;
    this.slices = slices;
    this.plan = plan;
    this.question = question;
    this.take = take;
    this.nanos = nanos;
  }

  Decision ask(Store store) {
    try {
      return store.decide(take);
    } catch (RuntimeException | Error failure) {
      // Also what nobody foresees: others wait for this slice.
      slices.failed(failure, nanos.getAsLong());
      throw failure;
    }
  }

  CompletableFuture<Decision> askAsync(Store store) {
    return Lender.ask(store, take)
        .whenComplete(
            (answer, failure) -> {
              if (failure != null) {
                slices.failed(failure, nanos.getAsLong());
              }
            });
  }

  /** What the caller gets of the slice; null if there was none to be had. */
  @Nullable Decision heard(Decision answer, Denials denials) {
    long now = nanos.getAsLong();
    if (!answer.allowed()) {
      slices.refused(answer, now, 0);
      return null;
    }
    Slice slice = LeasedKey.slice(take, answer, question.sent(), now);
    // Before anybody else: whoever asked first has waited for it.
    Decision granted = slice.spend(plan, question.key(), question.cost(), now);
    slices.add(slice, now);
    denials.pause(question, now, leased.pauseNanos(take.cost()));
    return granted;
  }
}
