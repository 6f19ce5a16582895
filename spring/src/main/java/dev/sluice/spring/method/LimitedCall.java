package dev.sluice.spring.method;

import dev.sluice.Decision;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.spring.RateLimitExceededException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** One call of a limited method, with its key and cost. */
public final class LimitedCall {
  private final Sluice sluice;
  private final RateLimiter limiter;
  private final String key;
  private final long cost;
  private final MethodInvocation invocation;
  private final Optional<Fallback> fallback;

  LimitedCall(
      Sluice sluice,
      RateLimiter limiter,
      String key,
      long cost,
      MethodInvocation invocation,
      Optional<Fallback> fallback) {
    this.sluice = sluice;
    this.limiter = limiter;
    this.key = key;
    this.cost = cost;
    this.invocation = invocation;
    this.fallback = fallback;
  }

  /** Asks whether the call may be made. */
  public Decision ask() {
    return limiter.tryAcquire(key, cost);
  }

  /** As {@link #ask}, without blocking. */
  public CompletableFuture<Decision> askAsync() {
    return limiter.tryAcquireAsync(key, cost);
  }

  /** Makes the call. Can be repeated: each time the whole chain of advice runs. */
  public @Nullable Object proceed() throws Throwable {
    return invocation instanceof ProxyMethodInvocation proxied
        ? proxied.invocableClone().proceed()
        : invocation.proceed();
  }

  /** What is returned in place of a denied call. */
  public @Nullable Object denied(Decision decision) throws Throwable {
    RateLimitExceededException denial = new RateLimitExceededException(decision);
    if (fallback.isEmpty()) {
      throw denial;
    }
    return fallback
        .get()
        .call(Objects.requireNonNull(invocation.getThis()), invocation.getArguments(), denial);
  }

  /** Releases the permits that an ended call has held. */
  public void release(Decision decision) {
    // Where the store is out of reach listeners have been told, and the lease ends by itself.
    decision
        .lease()
        .map(sluice::releaseAsync)
        .ifPresent(released -> released.exceptionally(outOfReach -> false));
  }

  /** Gives back what was taken for a call that was not made. */
  public void giveBack(Decision decision) {
    limiter.giveBack(decision);
  }
}
