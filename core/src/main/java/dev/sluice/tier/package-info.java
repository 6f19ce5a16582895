/**
 * What stands before a store that many processes share, so that not every decision has to travel:
 * denials that are repeated, and slices that are taken ahead of need. Knows the words of {@code
 * dev.sluice} only; which store is behind it, and how that decides, is not its business.
 */
@NullMarked
package dev.sluice.tier;

import org.jspecify.annotations.NullMarked;
