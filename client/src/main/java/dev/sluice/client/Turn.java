package dev.sluice.client;

import dev.sluice.Decision;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.http.ReceivedLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * The turn of one call. It is settled once, by the first of {@link #end}, {@link #giveBack} and a
 * refusal; what is said of it later changes nothing. Where the policy has been removed since, there
 * is nothing to settle: nobody counts by it.
 */
public final class Turn {
  private static final int TOO_MANY_REQUESTS = 429;
  // For a refusal that does not say how long to stay away.
  private static final Duration DEFAULT_PAUSE = Duration.ofSeconds(1);

  private final Calls calls;
  private final Decision decision;
  private final long earliestNanos;
  private final AtomicBoolean settled = new AtomicBoolean();

  Turn(Calls calls, Decision decision, long askedNanos) {
    this.calls = calls;
    this.decision = decision;
    // The store answered at some time after it was asked, so this is never after the turn.
    this.earliestNanos = askedNanos + TimeUnit.MICROSECONDS.toNanos(decision.waitMicros());
  }

  /** The call was not made: its permits are for others. */
  public void giveBack() {
    if (settled.compareAndSet(false, true)) {
      calls.limiterInForce().ifPresent(limiter -> limiter.giveBack(decision));
    }
  }

  /** The call has ended, well or not: what it held, if anything, is free. */
  public void end() {
    if (!settled.compareAndSet(false, true)) {
      return;
    }
    if (calls.isLate(System.nanoTime() - earliestNanos)) {
      calls.limiterInForce().ifPresent(limiter -> limiter.postpone(decision));
    }
    // Where the store is out of reach listeners have been told, and the lease ends by itself.
    decision
        .lease()
        .ifPresent(
            lease -> {
              CompletableFuture<Boolean> unused =
                  calls.sluice().releaseAsync(lease).exceptionally(outOfReach -> false);
            });
  }

  /**
   * Hears what the provider says of its limits in an answer, and stays away for as long as it asks.
   * An answer of 429 gives the turn back.
   *
   * @param headers all values of a header
   * @return whether the call was refused, so that it may be repeated in another turn
   */
  public boolean refused(int status, Function<String, List<String>> headers) {
    boolean refused = status == TOO_MANY_REQUESTS;
    ReceivedLimits received = RateLimitHeaders.parse(headers, Instant.now());
    received
        .pause()
        .or(() -> refused ? Optional.of(DEFAULT_PAUSE) : Optional.empty())
        .ifPresent(calls.pause()::atLeast);
    if (refused) {
      giveBack();
    }
    return refused;
  }
}
