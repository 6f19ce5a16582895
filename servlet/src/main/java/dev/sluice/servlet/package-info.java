/** The Jakarta filter: maps requests and answers, decides nothing. */
@NullMarked
package dev.sluice.servlet;

import org.jspecify.annotations.NullMarked;
