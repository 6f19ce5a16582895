package dev.sluice;

/**
 * The most common request, made ready by a store for the keys of one plan: so many permits now, or
 * none.
 */
@FunctionalInterface
public interface Gate {
  /** Answers as {@link RateLimiter#tryAcquire(String, long)} does. */
  Decision tryAcquire(String key, long cost);
}
