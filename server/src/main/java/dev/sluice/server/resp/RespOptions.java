package dev.sluice.server.resp;

import dev.sluice.OnStoreFailure;
import dev.sluice.server.AdminToken;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the RESP port behaves.
 *
 * @param host where it listens
 * @param port 0 picks a free one
 * @param password what {@code AUTH} accepts, or null where there is none
 * @param onStoreFailure what {@code CL.THROTTLE} answers when the store cannot decide: {@link
 *     OnStoreFailure#ALLOW}, or {@link OnStoreFailure#DENY} for an error reply
 * @param maxConnections more are told so and closed
 * @param idleTimeout a connection that sends and receives nothing for so long is closed
 * @param commandTimeout a command that was begun must be complete after this time
 * @param storeDeadline how long the store may take for {@code CL.THROTTLE}; null leaves it to it
 */
public record RespOptions(
    String host,
    int port,
    @Nullable AdminToken password,
    OnStoreFailure onStoreFailure,
    int maxConnections,
    Duration idleTimeout,
    Duration commandTimeout,
    @Nullable Duration storeDeadline) {
  /** The defaults, on a port of a host. */
  public static RespOptions on(String host, int port) {
    return new RespOptions(
        host,
        port,
        null,
        OnStoreFailure.DENY,
        10_000,
        Duration.ofMinutes(10),
        Duration.ofSeconds(10),
        null);
  }

  /** The same with a password for {@code AUTH}; null for none. */
  public RespOptions password(@Nullable AdminToken newPassword) {
    return new RespOptions(
        host,
        port,
        newPassword,
        onStoreFailure,
        maxConnections,
        idleTimeout,
        commandTimeout,
        storeDeadline);
  }

  /** The same with another answer of {@code CL.THROTTLE} to a failed store. */
  public RespOptions onStoreFailure(OnStoreFailure newOnStoreFailure) {
    return new RespOptions(
        host,
        port,
        password,
        newOnStoreFailure,
        maxConnections,
        idleTimeout,
        commandTimeout,
        storeDeadline);
  }

  /** The same with other bounds on connections and on their patience. */
  public RespOptions bounds(int connections, Duration idle, Duration command) {
    return new RespOptions(
        host, port, password, onStoreFailure, connections, idle, command, storeDeadline);
  }

  /** The same with a deadline for the store. */
  public RespOptions storeDeadline(Duration deadline) {
    return new RespOptions(
        host,
        port,
        password,
        onStoreFailure,
        maxConnections,
        idleTimeout,
        commandTimeout,
        deadline);
  }

  /** The password is not shown. */
  @Override
  public String toString() {
    return "RespOptions[%s:%d]".formatted(host, port);
  }
}
