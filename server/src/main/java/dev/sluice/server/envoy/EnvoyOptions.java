package dev.sluice.server.envoy;

import dev.sluice.OnStoreFailure;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How Envoy is answered.
 *
 * @param config a file of rules, or a directory of such files
 * @param onStoreFailure what is answered when the store cannot decide: {@link
 *     OnStoreFailure#ALLOW}, or {@link OnStoreFailure#DENY} for gRPC's UNAVAILABLE
 * @param storeDeadline how long the store may take
 */
public record EnvoyOptions(Path config, OnStoreFailure onStoreFailure, Duration storeDeadline) {}
