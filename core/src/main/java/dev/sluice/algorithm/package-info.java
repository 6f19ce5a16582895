/**
 * The arithmetic: one file for each algorithm, pure functions of state, limit, cost and time. No
 * clock, no locks, no I/O. Each file has a twin in Lua with the same steps and names.
 */
@NullMarked
package dev.sluice.algorithm;

import org.jspecify.annotations.NullMarked;
