/** Structured fields of HTTP (RFC 9651), as far as rate limit headers use them. */
@NullMarked
package dev.sluice.http.field;

import org.jspecify.annotations.NullMarked;
