package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Callers who found too little in hand while a slice is on its way, and wait for that instead of
 * asking one by one. Only as many as it has permits for: if it comes, each of them has his. Guarded
 * by the lock of their key.
 */
final class Waiters {
  // Where so many wait the store hangs; the others ask it, and hear that it is overloaded.
  static final int MOST = 4_096;

  private final List<Waiter> waiting = new ArrayList<>();
  // Permits of the slice that nobody waits for.
  private long unclaimed;

  /** Completes with the caller's answer, or with null if he has to ask for himself. */
  static final class Waiter extends CompletableFuture<@Nullable Decision> {
    private final Plan plan;
    private final Question question;
    private @Nullable Decision granted;

    private Waiter(Plan plan, Question question) {
      this.plan = plan;
      this.question = question;
    }
  }

  /** A slice is on its way, of which so much is free. */
  void expect(long permits) {
    unclaimed = permits;
  }

  /** Waits with the others; null if there is no slice on its way, or not enough of it. */
  @Nullable Waiter join(Plan plan, Question question) {
    if (question.cost() > unclaimed || waiting.size() >= MOST) {
      return null;
    }
    unclaimed -= question.cost();
    Waiter waiter = new Waiter(plan, question);
    waiting.add(waiter);
    return waiter;
  }

  /** Gives everybody his part of the slice that came, before others see it. */
  void serve(Slice slice, long now) {
    for (Waiter waiter : waiting) {
      Question question = waiter.question;
      waiter.granted = slice.spend(waiter.plan, question.key(), question.cost(), now);
    }
  }

  /** Nothing is on its way any more; those who waited have to be told. */
  List<Waiter> leave() {
    List<Waiter> leaving = List.copyOf(waiting);
    waiting.clear();
    unclaimed = 0;
    return leaving;
  }

  /** Tells them, without the lock: who hears it may do anything. */
  static void tell(List<Waiter> leaving, @Nullable Throwable failure) {
    for (Waiter waiter : leaving) {
      if (failure == null) {
        waiter.complete(waiter.granted);
      } else {
        waiter.completeExceptionally(failure);
      }
    }
  }
}
