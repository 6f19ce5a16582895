package dev.sluice;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The limits that apply to one kind of key of a policy, ready for a store. A policy has one plan,
 * and one more for each {@link KeyRule} with limits of its own.
 *
 * <p>A store keeps what it prepared for a plan in the plan itself ({@link #bound}), so that a
 * decision needs no look-up.
 */
public final class Plan {
  private final String policy;
  private final List<Limit> limits;
  private final Optional<Duration> deadline;
  private final long capacity;
  private final boolean concurrent;
  private final Decision.Terms terms;
  private final @Nullable Leasing leasing;
  private volatile @Nullable Bound bound;

  private record Bound(Store store, Object prepared) {}

  Plan(String policy, List<Limit> limits, @Nullable Duration deadline) {
    this(policy, limits, deadline, null);
  }

  Plan(String policy, List<Limit> limits, @Nullable Duration deadline, @Nullable Leasing leasing) {
    this.policy = policy;
    this.leasing = leasing;
    this.limits = limits;
    this.deadline = Optional.ofNullable(deadline);
    this.capacity = limits.stream().mapToLong(Limit::largestCost).min().orElse(Limit.MOST_PERMITS);
    this.concurrent = limits.stream().anyMatch(limit -> limit.algorithm() == Algorithm.CONCURRENCY);
    this.terms = new Decision.Terms(policy, limits.get(0), 0, null, null);
  }

  /** The name of the policy that this plan belongs to. */
  public String policy() {
    return policy;
  }

  /** The limits, decided together in this order. Never empty. */
  public List<Limit> limits() {
    return limits;
  }

  /** How long a store may take to decide, where the policy says so. */
  public Optional<Duration> deadline() {
    return deadline;
  }

  /** The largest cost that can ever pass. */
  public long capacity() {
    return capacity;
  }

  /**
   * A caller's key as stores see it: itself, or a NUL and a digest where it is long or begins with
   * a NUL.
   *
   * @throws IllegalArgumentException if it is empty
   */
  public String stored(String key) {
    Asking.checkKey(key);
    return Keys.canonical(key);
  }

  /** Whether one of the limits holds permits until they are released. */
  public boolean concurrent() {
    return concurrent;
  }

  /** How slices of these limits are taken; null where every decision is the store's. */
  public @Nullable Leasing leasing() {
    return leasing;
  }

  /** What all answers share where this plan has one limit. */
  Decision.Terms terms() {
    return terms;
  }

  /** What {@code store} prepared for this plan, made by {@code prepare} when it is first asked. */
  public Object bound(Store store, Function<Plan, ?> prepare) {
    Bound current = bound;
    if (current == null || current.store != store) {
      current = new Bound(store, prepare.apply(this));
      bound = current;
    }
    return current.prepared;
  }

  @Override
  public String toString() {
    return limits.stream()
        .map(Limit::toString)
        .collect(Collectors.joining("; ", policy + " [", "]"));
  }
}
