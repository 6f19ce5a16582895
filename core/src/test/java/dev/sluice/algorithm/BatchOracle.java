package dev.sluice.algorithm;

import dev.sluice.Limit;

/** A bucket that gets N tokens at once: time is walked batch by batch. */
final class BatchOracle implements Oracle {
  private final Limit limit;
  private long tokens;
  private long nextBatch = Long.MAX_VALUE;

  BatchOracle(Limit limit) {
    this.limit = limit;
    this.tokens = limit.capacity();
  }

  @Override
  public Answer ask(long now, long cost) {
    while (nextBatch <= now) {
      tokens = Math.min(limit.capacity(), tokens + limit.permits());
      boolean full = tokens == limit.capacity();
      nextBatch = full ? Long.MAX_VALUE : nextBatch + limit.perMicros();
    }
    boolean allowed = tokens >= cost;
    long retry = allowed ? 0 : timeUntil(now, cost);
    if (allowed) {
      if (tokens == limit.capacity()) {
        nextBatch = now + limit.perMicros();
      }
      tokens -= cost;
    }
    return new Answer(allowed, tokens, retry, timeUntil(now, limit.capacity()), 0);
  }

  private long timeUntil(long now, long wanted) {
    long at = nextBatch;
    long have = tokens + limit.permits();
    if (tokens >= wanted) {
      return 0;
    }
    while (have < wanted) {
      have += limit.permits();
      at += limit.perMicros();
    }
    return at - now;
  }
}
