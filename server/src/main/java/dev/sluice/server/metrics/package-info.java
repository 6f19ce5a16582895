/**
 * What operators see: counters and timers by policy and limit, and the keys that are limited most.
 * No metric is ever labelled with a key.
 */
@NullMarked
package dev.sluice.server.metrics;

import org.jspecify.annotations.NullMarked;
