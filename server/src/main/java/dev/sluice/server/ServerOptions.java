package dev.sluice.server;

import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a server is to run. Everything has a default; the setters return the same object.
 *
 * <pre>{@code
 * SluiceServer server = SluiceServer.start(new ServerOptions().httpPort(0));
 * }</pre>
 */
public final class ServerOptions {
  private static final Duration LONGEST_DRAIN = Duration.ofHours(1);

  private @Nullable Path config;
  private @Nullable String store;
  private String bind = "127.0.0.1";
  private int httpPort = 8080;
  private @Nullable Integer respPort;
  private @Nullable Path envoyConfig;
  private OnStoreFailure onStoreFailure = OnStoreFailure.DENY;
  private @Nullable String adminToken;
  private Duration storeDeadline = Duration.ofMillis(20);
  private boolean requireStore;
  private Duration drainDelay = Duration.ZERO;
  private @Nullable Path tlsCertificate;
  private @Nullable Path tlsKey;

  /** The defaults: the memory store, loopback only, the built-in policies. */
  public ServerOptions() {}

  /** The policies file; the built-in policies without one. */
  public ServerOptions config(@Nullable Path file) {
    this.config = file;
    return this;
  }

  /** The store's address; what the policies file says without one, and memory without both. */
  public ServerOptions store(@Nullable String address) {
    this.store = address;
    return this;
  }

  /** The address to listen on. */
  public ServerOptions bind(String address) {
    this.bind = address;
    return this;
  }

  /** The port for HTTP and gRPC; 0 picks a free one. */
  public ServerOptions httpPort(int port) {
    this.httpPort = port;
    return this;
  }

  /** The port for Redis clients; 0 picks a free one, and without one they are not served. */
  public ServerOptions respPort(int port) {
    this.respPort = port;
    return this;
  }

  /** Envoy's rules, in a file or a directory; without them Envoy is not served. */
  public ServerOptions envoyConfig(@Nullable Path fileOrDirectory) {
    this.envoyConfig = fileOrDirectory;
    return this;
  }

  /** What is answered for a failed store where no policy says it: to allow, or an error. */
  public ServerOptions onStoreFailure(OnStoreFailure answer) {
    this.onStoreFailure = answer;
    return this;
  }

  /** The token of admin calls, which are refused without one. */
  public ServerOptions adminToken(@Nullable String token) {
    this.adminToken = token;
    return this;
  }

  /** How long the store may take for a policy that does not say; at most an hour. */
  public ServerOptions storeDeadline(Duration deadline) {
    this.storeDeadline = deadline;
    return this;
  }

  /** Whether a store that is out of reach keeps the server from starting. */
  public ServerOptions requireStore(boolean required) {
    this.requireStore = required;
    return this;
  }

  /** How long to go on serving after {@code /readyz} has turned to draining; at most an hour. */
  public ServerOptions drainDelay(Duration delay) {
    this.drainDelay = delay;
    return this;
  }

  /** Certificate chain and private key, in PEM files: the port then speaks TLS only. */
  public ServerOptions tls(@Nullable Path certificate, @Nullable Path key) {
    this.tlsCertificate = certificate;
    this.tlsKey = key;
    return this;
  }

  /** The policies file. */
  public Optional<Path> config() {
    return Optional.ofNullable(config);
  }

  /** The store's address, as the command line gave it. */
  public Optional<String> store() {
    return Optional.ofNullable(store);
  }

  /** The address to listen on. */
  public String bind() {
    return bind;
  }

  /** The port for HTTP and gRPC. */
  public int httpPort() {
    return httpPort;
  }

  /** The port for Redis clients. */
  public Optional<Integer> respPort() {
    return Optional.ofNullable(respPort);
  }

  /** Envoy's rules. */
  public Optional<Path> envoyConfig() {
    return Optional.ofNullable(envoyConfig);
  }

  /** What is answered for a failed store where no policy says it. */
  public OnStoreFailure onStoreFailure() {
    return onStoreFailure;
  }

  /** The token of admin calls. */
  public Optional<String> adminToken() {
    return Optional.ofNullable(adminToken);
  }

  /** How long the store may take for a policy that does not say. */
  public Duration storeDeadline() {
    return storeDeadline;
  }

  /** Whether a store that is out of reach keeps the server from starting. */
  public boolean requireStore() {
    return requireStore;
  }

  /** How long to go on serving after {@code /readyz} has turned to draining. */
  public Duration drainDelay() {
    return drainDelay;
  }

  /** The certificate chain. */
  public Optional<Path> tlsCertificate() {
    return Optional.ofNullable(tlsCertificate);
  }

  /** The private key. */
  public Optional<Path> tlsKey() {
    return Optional.ofNullable(tlsKey);
  }

  /**
   * Checks what can be checked without starting anything.
   *
   * @throws StartupException for the first option that makes no sense, in the words of the command
   */
  void check() {
    if (storeDeadline.isNegative()
        || storeDeadline.isZero()
        || storeDeadline.compareTo(Policy.LONGEST_DEADLINE) > 0) {
      throw new StartupException(
          "--store-deadline: must be positive and at most 1 hour, got " + storeDeadline, null);
    }
    if (drainDelay.isNegative() || drainDelay.compareTo(LONGEST_DRAIN) > 0) {
      throw new StartupException(
          "--drain-delay: must be from 0 to 1 hour, got " + drainDelay, null);
    }
    // One without the other must not end in plain HTTP where TLS was meant.
    if (tlsCertificate != null && tlsKey == null) {
      throw new StartupException(
          "--tls-cert '%s': needs --tls-key beside it".formatted(tlsCertificate), null);
    }
    if (tlsKey != null && tlsCertificate == null) {
      throw new StartupException(
          "--tls-key '%s': needs --tls-cert beside it".formatted(tlsKey), null);
    }
  }
}
