package dev.sluice;

/** What a policy answers when its store cannot decide. */
public enum OnStoreFailure {
  /** Lets the request pass, marked as degraded. */
  ALLOW,
  /** Refuses to answer: a {@link StoreUnavailableException}, which edges turn into 503. */
  DENY,
  /** Decides in memory with this node's share of the limit, marked as degraded. */
  LOCAL
}
