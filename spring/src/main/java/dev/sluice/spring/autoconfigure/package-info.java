/** Puts Sluice together from properties and from what the application has on its class path. */
@NullMarked
package dev.sluice.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
