/** An API whose customers have plans. */
@NullMarked
package dev.sluice.examples.api;

import org.jspecify.annotations.NullMarked;
