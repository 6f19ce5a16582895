package dev.sluice.spring.method;

import org.jspecify.annotations.Nullable;

/** How a call is made whose result is of a certain kind. */
public interface CallKind {
  /** Makes the call if it may be made. */
  @Nullable Object make(LimitedCall call) throws Throwable;

  /** Fails a call that cannot be decided, in the way that a denied one fails. */
  @Nullable Object fail(RuntimeException invalid);
}
