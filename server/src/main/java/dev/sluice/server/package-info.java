/** The service: puts store, rules and faces together, and takes them apart again in order. */
@NullMarked
package dev.sluice.server;

import org.jspecify.annotations.NullMarked;
