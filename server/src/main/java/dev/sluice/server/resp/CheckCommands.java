package dev.sluice.server.resp;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Sluice's own commands: {@code SLUICE.CHECK}, {@code SLUICE.PEEK} and {@code SLUICE.RELEASE}. */
final class CheckCommands {
  private static final long NEVER = -1;

  private final Sluice sluice;
  private final boolean inMemory;

  CheckCommands(Sluice sluice, boolean inMemory) {
    this.sluice = sluice;
    this.inMemory = inMemory;
  }

  List<CommandSpec> specs() {
    List<String> takes = List.of("write", "fast");
    return List.of(
        new CommandSpec("SLUICE.CHECK", "sluice", 3, 4, 2, takes, "Asks a policy", this::check),
        new CommandSpec(
            "SLUICE.PEEK",
            "sluice",
            3,
            4,
            2,
            List.of("readonly", "fast"),
            "Asks a policy, and takes nothing",
            this::peek),
        new CommandSpec(
            "SLUICE.RELEASE",
            "sluice",
            2,
            2,
            0,
            takes,
            "Releases a concurrency permit",
            this::release));
  }

  private Answer check(Session session, Command command) {
    RateLimiter limiter = limiter(command);
    String key = command.text(2);
    long cost = cost(command);
    return inMemory
        ? reply(limiter.tryAcquire(key, cost))
        : inTurn(session, limiter, key, () -> limiter.tryAcquireAsync(key, cost));
  }

  private Answer peek(Session session, Command command) {
    RateLimiter limiter = limiter(command);
    String key = command.text(2);
    long cost = cost(command);
    return inTurn(session, limiter, key, () -> limiter.peekAsync(key, cost));
  }

  private static Answer inTurn(
      Session session,
      RateLimiter limiter,
      String key,
      Supplier<CompletableFuture<Decision>> question) {
    return Answer.of(
        session
            .order()
            .next(limiter.policy().name(), key, question)
            .thenApply(CheckCommands::reply));
  }

  private Answer release(Session session, Command command) {
    String lease = command.text(1);
    return Answer.of(
        session
            .order()
            .alone(() -> sluice.releaseAsync(lease))
            .thenApply(held -> Reply.integer(held ? 1 : 0)));
  }

  private RateLimiter limiter(Command command) {
    return sluice
        .limiter(command.text(1))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown policy '%s'".formatted(Printable.of(command.bytes(1)))));
  }

  private static long cost(Command command) {
    return command.size() > 3 ? command.number(3) : 1;
  }

  private static Reply reply(Decision decision) {
    String lease = decision.lease().orElse(null);
    return out -> {
      out.array(lease == null ? 5 : 6);
      out.integer(decision.allowed() ? 1 : 0);
      out.integer(decision.binding().map(Limit::capacity).orElse(0L));
      out.integer(decision.remaining());
      out.integer(decision.neverPasses() ? NEVER : ceilMillis(decision.retryAfterMicros()));
      out.integer(ceilMillis(decision.resetAfterMicros()));
      if (lease != null) {
        out.bulk(lease);
      }
    };
  }

  private static long ceilMillis(long micros) {
    return -Math.floorDiv(-micros, 1_000);
  }
}
