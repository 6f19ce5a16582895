package dev.sluice.server.resp;

import dev.sluice.OnStoreFailure;
import dev.sluice.server.AdminToken;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How the RESP port behaves. Everything has a default; the setters return the same object. */
public final class RespOptions {
  private final String host;
  private final int port;
  private @Nullable AdminToken password;
  private OnStoreFailure onStoreFailure = OnStoreFailure.DENY;
  private int maxConnections = 10_000;
  private Duration idleTimeout = Duration.ofMinutes(10);
  private Duration commandTimeout = Duration.ofSeconds(10);
  private @Nullable Duration storeDeadline;
  private boolean inMemory;

  private RespOptions(String host, int port) {
    this.host = host;
    this.port = port;
  }

  /** The defaults, on a port of a host; 0 picks a free one. */
  public static RespOptions on(String host, int port) {
    return new RespOptions(host, port);
  }

  /** What {@code AUTH} accepts, or null where there is none. */
  public RespOptions password(@Nullable AdminToken token) {
    this.password = token;
    return this;
  }

  /**
   * What {@code CL.THROTTLE} answers when the store cannot decide: {@link OnStoreFailure#ALLOW}, or
   * {@link OnStoreFailure#DENY} for an error reply.
   */
  public RespOptions onStoreFailure(OnStoreFailure answer) {
    this.onStoreFailure = answer;
    return this;
  }

  /**
   * Bounds on clients.
   *
   * @param connections more are told so and closed
   * @param idle a connection that sends and receives nothing for so long is closed
   * @param command a command that was begun must be complete after this time
   */
  public RespOptions bounds(int connections, Duration idle, Duration command) {
    this.maxConnections = connections;
    this.idleTimeout = idle;
    this.commandTimeout = command;
    return this;
  }

  /** How long the store may take for {@code CL.THROTTLE}; the store says without it. */
  public RespOptions storeDeadline(Duration deadline) {
    this.storeDeadline = deadline;
    return this;
  }

  /** Whether the store answers at once, so that an event loop may ask it directly. */
  public RespOptions inMemory(boolean answersAtOnce) {
    this.inMemory = answersAtOnce;
    return this;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  @Nullable AdminToken password() {
    return password;
  }

  OnStoreFailure onStoreFailure() {
    return onStoreFailure;
  }

  int maxConnections() {
    return maxConnections;
  }

  Duration idleTimeout() {
    return idleTimeout;
  }

  Duration commandTimeout() {
    return commandTimeout;
  }

  @Nullable Duration storeDeadline() {
    return storeDeadline;
  }

  boolean inMemory() {
    return inMemory;
  }
}
