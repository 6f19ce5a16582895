package dev.sluice.redis;

/** Whether the store is asked. In metrics the ordinal: 0, 1 or 2. */
public enum BreakerState {
  /** Every call goes to the server. */
  CLOSED,
  /** One call is on its way to find out whether the server is back. */
  HALF_OPEN,
  /** No call goes to the server until the pause is over. */
  OPEN
}
