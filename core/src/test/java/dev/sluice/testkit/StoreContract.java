package dev.sluice.testkit;

/**
 * What every store must do. A store's own test extends this and opens the store; the clock is the
 * only time that it may read.
 *
 * <p>The parts stand in files of their own: single decisions, booking and settling, held permits,
 * several at once, rules that change, and agreement with the memory store.
 */
public abstract class StoreContract
    implements DecisionContract,
        BookingContract,
        ConcurrencyContract,
        TogetherContract,
        ReplacementContract,
        ReferenceContract {
  /** For the store's own test. */
  protected StoreContract() {}
}
