package dev.sluice.spring.method;

import dev.sluice.Decision;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A call that returns when it is done. It waits for its turn on the caller's thread. */
final class PlainCall implements CallKind {
  @Override
  public @Nullable Object make(LimitedCall call) throws Throwable {
    Decision decision = call.ask();
    if (!decision.allowed()) {
      return call.denied(decision);
    }
    awaitTurn(call, decision);
    try {
      return call.proceed();
    } finally {
      call.release(decision);
    }
  }

  @Override
  public @Nullable Object fail(RuntimeException invalid) {
    throw invalid;
  }

  private static void awaitTurn(LimitedCall call, Decision decision) {
    if (decision.waitTime().isZero()) {
      return;
    }
    try {
      TimeUnit.NANOSECONDS.sleep(decision.waitTime().toNanos());
    } catch (InterruptedException stopping) {
      call.giveBack(decision);
      Thread.currentThread().interrupt();
      CancellationException cancelled =
          new CancellationException("interrupted while a call waited for its turn");
      cancelled.initCause(stopping);
      throw cancelled;
    }
  }
}
