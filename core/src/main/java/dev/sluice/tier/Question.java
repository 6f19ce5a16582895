package dev.sluice.tier;

import dev.sluice.Plan;

/**
 * A plain request on its way to the store.
 *
 * @param sent when it was sent, in nanoseconds of this process
 * @param set its place in {@link Denials}
 * @param epoch of that place before it was sent
 */
record Question(Plan plan, String key, long cost, long sent, int set, int epoch) {
  /** Whether an answer to this one answers the other. */
  @SuppressWarnings("ReferenceEquality") // plans of one policy and the same limits decide alike
  boolean asks(Plan other, String otherKey, long otherCost) {
    return cost == otherCost
        && key.equals(otherKey)
        && (plan == other
            || (plan.policy().equals(other.policy()) && plan.limits().equals(other.limits())));
  }
}
