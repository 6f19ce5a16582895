/** Paths of requests: one spelling for each, and patterns that match them. */
@NullMarked
package dev.sluice.http.path;

import org.jspecify.annotations.NullMarked;
