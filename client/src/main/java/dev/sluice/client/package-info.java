/**
 * Waits its turn before it calls: an HTTP client, an executor and a queue's consumer that use all
 * of a provider's limit and never exceed it.
 */
@NullMarked
package dev.sluice.client;

import org.jspecify.annotations.NullMarked;
