package dev.sluice.server.envoy;

/**
 * A rule and the counter that a descriptor has under it.
 *
 * @param key different for different domains and entries, whatever characters they hold
 */
record Match(Rule rule, String key) {}
