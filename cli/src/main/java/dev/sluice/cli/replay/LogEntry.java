package dev.sluice.cli.replay;

import java.util.Optional;

/**
 * One request of a log.
 *
 * @param micros when it came, in microseconds since the epoch
 * @param policy the policy that it names, if it names one
 */
public record LogEntry(long micros, String key, long cost, Optional<String> policy) {}
