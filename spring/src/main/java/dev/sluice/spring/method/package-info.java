/** The advice behind {@link dev.sluice.spring.RateLimited}. */
@NullMarked
package dev.sluice.spring.method;

import org.jspecify.annotations.NullMarked;
