/** Workers on several machines that call one payment provider, who allows 100 calls a second. */
@NullMarked
package dev.sluice.examples.payments;

import org.jspecify.annotations.NullMarked;
