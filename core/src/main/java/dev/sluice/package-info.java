/**
 * The vocabulary: limits, policies, decisions, and the interface that every store implements. Knows
 * no algorithm, no clock but {@link dev.sluice.MicroClock}, and no store.
 */
@NullMarked
package dev.sluice;

import org.jspecify.annotations.NullMarked;
