/** What operators see and do: the endpoint, the health of the store, the most limited keys. */
@NullMarked
package dev.sluice.spring.actuate;

import org.jspecify.annotations.NullMarked;
