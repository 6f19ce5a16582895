/** The edge of WebFlux: maps requests and answers without blocking, decides nothing. */
@NullMarked
package dev.sluice.spring.webflux;

import org.jspecify.annotations.NullMarked;
