package dev.sluice;

/** How far a decision of a policy travels. */
public enum Tier {
  /** Every decision is made by the store. */
  EXACT,
  /** A process takes slices of the limit ahead of need and decides from them. */
  LEASED
}
