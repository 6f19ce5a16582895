package dev.sluice.server.resp;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * {@code CL.THROTTLE} as redis-cell has it, and {@code DEL} for its keys. The limit comes with each
 * call: a token bucket of {@code max_burst + 1} that gets {@code count} back in {@code period}
 * seconds.
 */
final class ThrottleCommands {
  /** What is used is kept under this policy's name, whatever the limit. */
  static final String POLICY = "cl.throttle";

  private static final String CELL_ERROR = "Cell error: ";
  private static final int REMEMBERED = 1024;
  // So slow that it takes every key that is remembered for one that is used.
  private static final Limit SLOWEST = Limit.tokenBucket(1, Limit.LONGEST_PERIOD);

  /** What a client asked for, and the words in which it did: most repeat themselves. */
  static final class Asked {
    private final byte[] sent;
    private final Throttle throttle;
    private final long quantity;

    private Asked(byte[] sent, Throttle throttle, long quantity) {
      this.sent = sent;
      this.throttle = throttle;
      this.quantity = quantity;
    }
  }

  private record Throttle(long burst, long count, long period, RateLimiter limiter) {
    boolean is(long otherBurst, long otherCount, long otherPeriod) {
      return burst == otherBurst && count == otherCount && period == otherPeriod;
    }
  }

  private final Sluice sluice;
  private final RespOptions options;
  private final RateLimiter anyLimit;
  // One place for each hash: limits that nobody asks for any more make room by themselves.
  private final AtomicReferenceArray<Throttle> remembered = new AtomicReferenceArray<>(REMEMBERED);

  ThrottleCommands(Sluice sluice, RespOptions options) {
    this.sluice = sluice;
    this.options = options;
    this.anyLimit = limiter(SLOWEST);
  }

  List<CommandSpec> specs() {
    return List.of(
        new CommandSpec(
            "CL.THROTTLE",
            "sluice",
            5,
            6,
            1,
            List.of("write", "fast"),
            "Takes from a limit given in the call",
            this::run),
        new CommandSpec(
            "DEL",
            "generic",
            2,
            CommandParser.MOST_WORDS,
            1,
            List.of("write"),
            "Forgets throttled keys",
            this::del));
  }

  private Answer run(Session session, Command command) {
    Asked asked = session.lastAsked();
    if (asked == null || !command.isAfter(1, asked.sent)) {
      return firstRun(session, command);
    }
    return decide(session, asked.throttle, command.text(1), asked.quantity);
  }

  private Answer firstRun(Session session, Command command) {
    long[] numbers = {0, 0, 0, 1};
    for (int i = 2; i < command.size(); i++) {
      try {
        numbers[i - 2] = command.number(i);
      } catch (NumberFormatException notANumber) {
        return cellError("Couldn't parse as integer: " + Printable.of(command.bytes(i)));
      }
    }
    long quantity = numbers[3];
    if (numbers[1] == 0 || numbers[2] == 0) {
      return cellError("Zero rates are not supported");
    }
    if (quantity < 0) {
      return cellError("quantity must be at least 0, got " + quantity);
    }
    Throttle throttle;
    try {
      throttle = throttle(numbers[0], numbers[1], numbers[2]);
    } catch (IllegalArgumentException wrong) {
      return cellError(String.valueOf(wrong.getMessage()));
    }
    session.lastAsked(new Asked(command.after(1), throttle, quantity));
    return decide(session, throttle, command.text(1), quantity);
  }

  private Answer decide(Session session, Throttle throttle, String key, long quantity) {
    long limit = throttle.burst + 1;
    RateLimiter limiter = throttle.limiter;
    if (quantity > 0 && quantity <= limit) {
      if (options.inMemory()) {
        return ThrottleReply.of(limiter.tryAcquire(key, quantity), limit, quantity);
      }
      return Answer.of(
          session
              .order()
              .next(POLICY, key, () -> limiter.tryAcquireAsync(key, quantity))
              .thenApply(decision -> ThrottleReply.of(decision, limit, quantity)));
    }
    // Nothing is taken: for quantity 0 because that is what it means, else because it never fits.
    return Answer.of(
        session
            .order()
            .next(POLICY, key, () -> limiter.peekAsync(key, 1))
            .thenApply(decision -> ThrottleReply.untaken(decision, limit, quantity > limit)));
  }

  private Throttle throttle(long burst, long count, long period) {
    int place = (int) Math.floorMod(31 * (31 * burst + count) + period, (long) REMEMBERED);
    Throttle known = remembered.get(place);
    if (known != null && known.is(burst, count, period)) {
      return known;
    }
    if (burst < 0 || burst >= Limit.MOST_PERMITS) {
      throw new IllegalArgumentException(
          "max_burst must be from 0 to %d, got %d".formatted(Limit.MOST_PERMITS - 1, burst));
    }
    if (count < 0 || count > Limit.MOST_PERMITS) {
      throw new IllegalArgumentException(
          "count must be from 1 to %d, got %d".formatted(Limit.MOST_PERMITS, count));
    }
    if (period < 0 || period > Limit.LONGEST_PERIOD.toSeconds()) {
      throw new IllegalArgumentException(
          "period must be from 1 to %d seconds, got %d"
              .formatted(Limit.LONGEST_PERIOD.toSeconds(), period));
    }
    Limit limit = Limit.tokenBucket(count, Duration.ofSeconds(period)).burst(burst + 1);
    Throttle made = new Throttle(burst, count, period, limiter(limit));
    remembered.set(place, made);
    return made;
  }

  private RateLimiter limiter(Limit limit) {
    Policy.Builder policy =
        Policy.named(POLICY).limits(List.of(limit)).onStoreFailure(options.onStoreFailure());
    Duration deadline = options.storeDeadline();
    return sluice.unlisted((deadline == null ? policy : policy.deadline(deadline)).build());
  }

  private Answer del(Session session, Command command) {
    CompletableFuture<Long> forgotten = CompletableFuture.completedFuture(0L);
    for (int i = 1; i < command.size(); i++) {
      String key = command.text(i);
      forgotten =
          forgotten.thenCombine(session.order().next(POLICY, key, () -> forget(key)), Long::sum);
    }
    return Answer.of(forgotten.thenApply(Reply::integer));
  }

  private CompletableFuture<Long> forget(String key) {
    if (key.isEmpty()) {
      return CompletableFuture.completedFuture(0L);
    }
    return anyLimit
        .peekAsync(key, 1)
        .thenCompose(
            seen -> {
              long known = seen.resetAfterMicros() > 0 ? 1L : 0L;
              return anyLimit.resetAsync(key).thenApply(reset -> forgotten(reset, known));
            });
  }

  /** Where the store is out a throttle may let pass; but what is there stays there. */
  private static long forgotten(Decision reset, long known) {
    if (reset.degraded()) {
      throw new StoreUnavailableException(
          "degraded", "the store did not answer: nothing was forgotten", null);
    }
    return known;
  }

  private static Reply cellError(String text) {
    return Reply.error(CELL_ERROR + text);
  }
}
