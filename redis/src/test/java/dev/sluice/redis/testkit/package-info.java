/**
 * Real Redis and Valkey processes, a hostile network in front of them, and a scripted impostor.
 *
 * <p>The kit owns processes, ports and temporary files, and removes them whatever way a test or its
 * JVM ends. It must not know Sluice's stores nor any client library: it speaks RESP by itself, so
 * that a fault in the client under test cannot hide in the rig. Everything listens on loopback.
 */
@NullMarked
package dev.sluice.redis.testkit;

import org.jspecify.annotations.NullMarked;
