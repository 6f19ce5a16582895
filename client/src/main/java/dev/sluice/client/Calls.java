package dev.sluice.client;

import dev.sluice.Algorithm;
import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Calls to one provider: within whose limit they are kept, how long one may wait for its turn, and
 * what becomes of a refusal. Immutable, but for what the provider asked for: clients, executors and
 * consumers that are made from one of these, or from a variant of it, stay away together.
 */
public final class Calls {
  // The longest that a limiter waits.
  private static final Duration YEAR = Duration.ofDays(365);
  private static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(30);
  private static final int DEFAULT_RETRIES = 3;

  private final Sluice sluice;
  private final String policy;
  private final String key;
  private final Pause pause;
  private final long cost;
  private final Duration maxWait;
  private final int retries;
  private final @Nullable Duration slack;

  private Calls(
      Sluice sluice,
      String policy,
      String key,
      Pause pause,
      long cost,
      Duration maxWait,
      int retries,
      @Nullable Duration slack) {
    this.sluice = sluice;
    this.policy = policy;
    this.key = key;
    this.pause = pause;
    this.cost = cost;
    this.maxWait = maxWait;
    this.retries = retries;
    this.slack = slack;
  }

  /**
   * Calls of one permit each that may wait for up to 30 seconds; a refused one is repeated up to
   * three times.
   *
   * @param policy the limits of the provider
   * @param key which of its customers we are; often just the provider's name
   */
  public static Calls of(Sluice sluice, String policy, String key) {
    if (sluice.limiter(policy).isEmpty()) {
      throw new IllegalArgumentException("calls: unknown policy '%s'".formatted(policy));
    }
    if (key.isEmpty()) {
      throw new IllegalArgumentException(
          "calls of policy '%s': key must not be empty".formatted(policy));
    }
    return new Calls(sluice, policy, key, new Pause(), 1, DEFAULT_MAX_WAIT, DEFAULT_RETRIES, null);
  }

  /** The same with another cost for each call, from 1 to {@link Limit#MOST_PERMITS}. */
  public Calls cost(long permits) {
    if (permits < 1 || permits > Limit.MOST_PERMITS) {
      throw wrong("cost must be from 1 to %d, got %d".formatted(Limit.MOST_PERMITS, permits));
    }
    return new Calls(sluice, policy, key, pause, permits, maxWait, retries, slack);
  }

  /**
   * The same with another longest wait, from 0 to 365 days; who would wait longer is refused at
   * once.
   */
  public Calls maxWait(Duration longest) {
    if (longest.isNegative() || longest.compareTo(YEAR) > 0) {
      throw wrong("maxWait must be from 0 to 365 days, got " + longest);
    }
    return new Calls(sluice, policy, key, pause, cost, longest, retries, slack);
  }

  /** The same, where a call that the provider refuses with 429 is repeated so many times. */
  public Calls retries(int times) {
    if (times < 0) {
      throw wrong("retries must be at least 0, got " + times);
    }
    return new Calls(sluice, policy, key, pause, cost, maxWait, times, slack);
  }

  /**
   * The same, counted to the call at the provider. A call that ended longer than {@code slack}
   * after its turn may have arrived so late that it meets those of the next period; it then counts
   * from its end instead of its turn, for all who share the store ({@link RateLimiter#postpone}).
   * Needs a sliding log whose period is the provider's and {@code slack}; at most 365 days.
   */
  public Calls slack(Duration longest) {
    if (longest.isNegative() || longest.isZero() || longest.compareTo(YEAR) > 0) {
      throw wrong("slack must be positive and at most 365 days, got " + longest);
    }
    List<Algorithm> algorithms = limits().stream().map(Limit::algorithm).toList();
    if (!algorithms.contains(Algorithm.SLIDING_LOG)) {
      throw wrong("slack needs a sliding-log, got " + algorithms);
    }
    return new Calls(sluice, policy, key, pause, cost, maxWait, retries, longest);
  }

  private List<Limit> limits() {
    Policy current = limiter().policy();
    return current.ruleFor(key).map(KeyRule::limits).orElse(current.limits());
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("calls of policy '%s': %s".formatted(policy, what));
  }

  /** The limiter; policies may be removed at any time. */
  Optional<RateLimiter> limiterInForce() {
    return sluice.limiter(policy);
  }

  RateLimiter limiter() {
    return limiterInForce()
        .orElseThrow(
            () -> new IllegalStateException("calls: policy '%s' is gone".formatted(policy)));
  }

  Sluice sluice() {
    return sluice;
  }

  String key() {
    return key;
  }

  Pause pause() {
    return pause;
  }

  long cost() {
    return cost;
  }

  Duration maxWait() {
    return maxWait;
  }

  /** How often a call that the provider refuses with 429 is repeated. */
  public int retries() {
    return retries;
  }

  boolean isLate(long nanos) {
    return slack != null && nanos > slack.toNanos();
  }
}
