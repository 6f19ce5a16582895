/**
 * The policies file: words to policies, with every problem and its line, and reloading. It knows
 * the core's vocabulary and YAML; it must not know of servers.
 */
@NullMarked
package dev.sluice.server.config;

import org.jspecify.annotations.NullMarked;
