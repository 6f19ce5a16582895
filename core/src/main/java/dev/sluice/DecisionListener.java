package dev.sluice;

/**
 * Hears of every decision, on the thread that made it: keep it short, and never block. Who only
 * looks, gives back or resets decides nothing. An exception that a listener throws reaches the
 * caller.
 */
public interface DecisionListener {
  /** A request was decided, by the store or in its place, in {@code nanos}. */
  void decided(Policy policy, Decision decision, long nanos);

  /** The store did not decide; the policy says what follows. */
  default void storeFailed(Policy policy, StoreUnavailableException failure) {}

  /** A request was refused before it was decided, because it made no sense. */
  default void invalid(Policy policy, IllegalArgumentException problem) {}
}
