/** The memory store: the embedded default, and the reference for every other store. */
@NullMarked
package dev.sluice.memory;

import org.jspecify.annotations.NullMarked;
