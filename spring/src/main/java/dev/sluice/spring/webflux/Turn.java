package dev.sluice.spring.webflux;

import dev.sluice.http.RequestLimiter;
import dev.sluice.http.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way: what it took is given back if it leaves before its turn came, and what it
 * holds is released when it is done. It may leave at any moment, also before the store has
 * answered.
 */
final class Turn {
  private final RequestLimiter limiter;
  private @Nullable Verdict verdict;
  private boolean entered;
  private boolean left;

  Turn(RequestLimiter limiter) {
    this.limiter = limiter;
  }

  /** The store has answered. */
  synchronized void decided(Verdict answer) {
    verdict = answer;
    if (left) {
      settle(answer);
    }
  }

  /** The turn has come: the request goes on to the application. */
  synchronized void entered() {
    entered = true;
  }

  /** The request is done, or its client has gone. */
  synchronized void left() {
    left = true;
    if (verdict != null) {
      settle(verdict);
    }
  }

  private void settle(Verdict answer) {
    if (entered) {
      limiter.release(answer);
    } else if (answer.passes()) {
      limiter.giveBack(answer);
    }
  }
}
