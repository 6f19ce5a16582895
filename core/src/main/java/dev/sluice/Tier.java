package dev.sluice;

/** How far a decision of a policy travels. */
public enum Tier {
  /** Every permit is given out by the store. */
  EXACT,
  /**
   * A process takes slices of the limit ahead of need and decides from them. In any window up to
   * {@link Policy#maxLeased} more than the limit may pass. In memory the same as {@link #EXACT}.
   */
  LEASED
}
