package dev.sluice.redis;

import dev.sluice.StoreUnavailableException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The one outcome of a call, whichever way it travels: the first that is told counts, the breaker
 * hears of it before the caller does, and every failure reads the same.
 *
 * <p>A base of those who are told, and no part of theirs: there is one for every decision.
 */
abstract class Settlement<T> extends CompletableFuture<T> {
  private static final VarHandle SETTLED;

  static {
    try {
      SETTLED = MethodHandles.lookup().findVarHandle(Settlement.class, "settled", boolean.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private final Breaker breaker;
  private final Breaker.Entry entry;

  @SuppressWarnings("unused") // by SETTLED
  private volatile boolean settled;

  /** Enters the breaker, which may refuse: then {@link #barred}. */
  Settlement(Breaker breaker) {
    this.breaker = breaker;
    this.entry = breaker.enter();
  }

  /** The policy by which the decision is made. */
  abstract String policy();

  /** Whether the breaker refused. */
  boolean barred() {
    return entry == Breaker.Entry.REFUSED;
  }

  /** Whether the outcome was told. One whose caller gave it up may still be on its way. */
  boolean settled() {
    return settled;
  }

  /** Whether the outcome decides for all callers if the breaker closes. */
  boolean probing() {
    return entry == Breaker.Entry.PROBE;
  }

  /** The server answered; false if that is too late. */
  boolean settle() {
    if (!SETTLED.compareAndSet(this, false, true)) {
      return false;
    }
    breaker.succeeded(entry);
    return true;
  }

  /** Says what the caller is to be told, or null if that is too late. */
  @Nullable StoreUnavailableException settle(
      RedisFailure failure, String detail, @Nullable Throwable cause) {
    if (!SETTLED.compareAndSet(this, false, true)) {
      return null;
    }
    if (failure.opensBreaker()) {
      breaker.failed(entry);
    } else if (!barred()) {
      breaker.succeeded(entry);
    }
    return told(failure, detail, cause);
  }

  /** As {@link #settle}, for what was settled before it could be read. */
  StoreUnavailableException told(RedisFailure failure, String detail, @Nullable Throwable cause) {
    return new StoreUnavailableException(
        failure.reason(),
        "redis: no decision for policy '%s'%s".formatted(policy(), detail),
        cause);
  }

  /** Nothing was sent, so a probe proved nothing; false if that is too late. */
  boolean abandon() {
    if (!SETTLED.compareAndSet(this, false, true)) {
      return false;
    }
    if (probing()) {
      breaker.failed(entry);
    }
    return true;
  }
}
