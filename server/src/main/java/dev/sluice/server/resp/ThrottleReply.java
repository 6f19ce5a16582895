package dev.sluice.server.resp;

import dev.sluice.Decision;

/**
 * The five integers of redis-cell. Seconds are rounded up: who waits as told is not refused again.
 *
 * @param limited 1 if the request may not pass
 * @param retryAfter in seconds, -1 where there is nothing to wait for: it passed, or never will
 * @param resetAfter in seconds
 */
record ThrottleReply(long limited, long limit, long remaining, long retryAfter, long resetAfter)
    implements Reply {
  private static final long NO_WAIT = -1;

  static ThrottleReply of(Decision decision, long limit, long quantity) {
    if (decision.binding().isEmpty()) {
      // The store is out of reach and everything passes: what is left is not known.
      return new ThrottleReply(0, limit, limit - quantity, NO_WAIT, 0);
    }
    return new ThrottleReply(
        decision.allowed() ? 0 : 1,
        limit,
        decision.remaining(),
        decision.allowed() ? NO_WAIT : ceilSeconds(decision.retryAfterMicros()),
        ceilSeconds(decision.resetAfterMicros()));
  }

  /** The answer where nothing was asked for, or more than can ever be had. */
  static ThrottleReply untaken(Decision state, long limit, boolean impossible) {
    long remaining = state.binding().isEmpty() ? limit : state.remaining();
    long reset = ceilSeconds(state.resetAfterMicros());
    return new ThrottleReply(impossible ? 1 : 0, limit, remaining, NO_WAIT, reset);
  }

  private static long ceilSeconds(long micros) {
    return -Math.floorDiv(-micros, 1_000_000);
  }

  @Override
  public void write(ReplyWriter out) {
    out.array(5);
    out.integer(limited);
    out.integer(limit);
    out.integer(remaining);
    out.integer(retryAfter);
    out.integer(resetAfter);
  }
}
