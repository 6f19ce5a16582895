package dev.sluice;

/** One of several checks that are decided together: a policy, a key and a cost. */
public record Check(String policy, String key, long cost) {
  /** A check for one permit. */
  public Check(String policy, String key) {
    this(policy, key, 1);
  }
}
