/** Outgoing calls of Spring's clients, kept within the limits of those who are called. */
@NullMarked
package dev.sluice.spring.client;

import org.jspecify.annotations.NullMarked;
