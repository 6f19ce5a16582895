/** A servlet application without a framework. */
@NullMarked
package dev.sluice.examples.servlet;

import org.jspecify.annotations.NullMarked;
