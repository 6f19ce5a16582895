/** Limited calls whose result is a {@code Mono} or a {@code Flux}; loaded only where Reactor is. */
@NullMarked
package dev.sluice.spring.reactive;

import org.jspecify.annotations.NullMarked;
