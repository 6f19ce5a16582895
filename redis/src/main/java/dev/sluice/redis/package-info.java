/**
 * State in Redis or Valkey. Owns the scripts, the connection to the server and what becomes of a
 * request when that fails; it must not know policies, nor what a failed store means to one.
 */
@NullMarked
package dev.sluice.redis;

import org.jspecify.annotations.NullMarked;
