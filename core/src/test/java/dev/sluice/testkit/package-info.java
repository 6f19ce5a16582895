/** What tests of stores share: a clock, histories, and the contract that every store passes. */
@NullMarked
package dev.sluice.testkit;

import org.jspecify.annotations.NullMarked;
