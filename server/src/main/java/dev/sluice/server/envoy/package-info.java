/**
 * Envoy's rate limit service: which rule of envoyproxy/ratelimit's YAML a descriptor meets, and the
 * answer over gRPC and as JSON. Knows nothing of how limits count.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.server.envoy;
