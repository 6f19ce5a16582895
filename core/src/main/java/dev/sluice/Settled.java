package dev.sluice;

/** What has become of a reservation that somebody asked to settle with a certain cost. */
public enum Settled {
  /** It is settled with that cost, by this call or by one before. */
  AS_ASKED,
  /** It was settled with another cost before, and that counts. */
  OTHERWISE,
  /** No such reservation is known: it expired, or was never made. */
  UNKNOWN;

  /** A store denies what it does not know for ever, and what was settled otherwise for a while. */
  static Settled by(Decision decision) {
    if (decision.allowed()) {
      return AS_ASKED;
    }
    return decision.neverPasses() ? UNKNOWN : OTHERWISE;
  }
}
