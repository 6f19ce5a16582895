package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A store that tickets do not come back to. */
final class Nowhere implements Ticket.Office {
  private static final Plan PLAN = Plans.of("test", Limit.tokenBucket(1, Duration.ofHours(1)));

  /** A ticket whose deadline is so far from now. */
  static Ticket ticket(String key, Duration deadline) {
    return new Ticket(
        new Nowhere(),
        new Breaker(),
        Request.acquire(PLAN, key, 1),
        new Prepared(PLAN),
        deadline,
        System.nanoTime(),
        null);
  }

  @Override
  public Call call(Request request) {
    return new Call(Script.of("return 1"), List.of(), List.of());
  }

  @Override
  public CompletableFuture<Decision> decideElsewhere(
      Ticket ticket, @Nullable List<Object> undecided) {
    return new CompletableFuture<>();
  }

  @Override
  public void reconnect(Ticket ticket) {}
}
