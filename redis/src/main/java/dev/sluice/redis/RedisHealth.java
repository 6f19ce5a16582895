package dev.sluice.redis;

import java.util.List;

/**
 * How the store is doing, for readiness checks, metrics and dashboards.
 *
 * @param ready whether it is connected and no breaker is open
 * @param server kind and version, such as {@code redis 7.0.15}; {@code unknown} before the first
 *     connection
 * @param breaker the worst of the breakers: a cluster has one for each node
 * @param stateLosses how often another server process answered than before: what it did not have
 *     was forgotten
 * @param warnings what the start-up check found, one sentence each
 */
public record RedisHealth(
    boolean ready, String server, BreakerState breaker, long stateLosses, List<String> warnings) {
  /** Copies the warnings. */
  public RedisHealth {
    warnings = List.copyOf(warnings);
  }
}
