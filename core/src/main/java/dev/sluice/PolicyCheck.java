package dev.sluice;

/** One of several checks that are decided together, with the policy itself: see {@link Check}. */
public record PolicyCheck(Policy policy, String key, long cost) {}
