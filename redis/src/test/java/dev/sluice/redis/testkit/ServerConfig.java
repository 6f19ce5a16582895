package dev.sluice.redis.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a server is to be started: without persistence, password, TLS or Unix socket unless told
 * otherwise.
 *
 * <p>A builder for one thread; each method changes this object and returns it. From 7.0 on {@code
 * DEBUG} is allowed, as it always was on 6.2, and replicas are served without the usual five
 * seconds of delay.
 */
public final class ServerConfig {
  // The kit's own way in, whatever the test does to the default user.
  private static final String KIT_USER = "sluice-testkit";

  private final RedisBinary binary;
  private final List<String> lines = new ArrayList<>();
  private final Map<String, String> users = new LinkedHashMap<>();
  private final String kitPassword = UUID.randomUUID().toString();
  private @Nullable String password;
  private TlsFiles.@Nullable Identity tls;
  private boolean unixSocket;
  private boolean sentinel;

  ServerConfig(RedisBinary binary) {
    this.binary = binary;
  }

  /** Adds a line of redis.conf; it comes last, so it wins over what the kit wrote. */
  public ServerConfig line(String line) {
    lines.add(line);
    return this;
  }

  /** Keeps an append-only file, which {@link RedisServer#restart()} loads again. */
  public ServerConfig appendOnly(String fsync) {
    return line("appendonly yes").line("appendfsync " + fsync);
  }

  /** Demands a password of the default user; replicas started alike know it too. */
  public ServerConfig password(String text) {
    password = text;
    return this;
  }

  /**
   * Adds a user to the server's ACL file.
   *
   * @param rules as in {@code ACL SETUSER}: {@code on >secret ~rl:* -@all +ping}; the name {@code
   *     default} replaces the default user
   */
  public ServerConfig user(String name, String rules) {
    users.put(name, rules);
    return this;
  }

  /** Serves TLS, and no plain text, on the one port; client certificates are not asked for. */
  public ServerConfig tls(TlsFiles.Identity identity) {
    if (!binary.supportsTls()) {
      throw new IllegalArgumentException(
          "server '%s': must be built with TLS, got %s".formatted(binary, binary.path()));
    }
    tls = identity;
    return this;
  }

  /** Listens on a Unix socket too: {@link RedisServer#unixSocket()}. */
  public ServerConfig unixSocket() {
    unixSocket = true;
    return this;
  }

  /** Starts the process and waits until it answers. */
  public RedisServer start() {
    return RedisServer.start(this);
  }

  ServerConfig sentinel() {
    sentinel = true;
    return this;
  }

  RedisBinary binary() {
    return binary;
  }

  @Nullable String password() {
    return password;
  }

  TlsFiles.@Nullable Identity tls() {
    return tls;
  }

  boolean hasUnixSocket() {
    return unixSocket;
  }

  List<String> commandLine(Path directory) {
    List<String> command = new ArrayList<>();
    command.add(binary.path().toString());
    command.add(file(directory).toString());
    if (sentinel) {
      command.add("--sentinel");
    }
    return command;
  }

  /** The words of AUTH for the kit's own connections; empty if none is needed. */
  List<String> credentials() {
    if (!users.isEmpty()) {
      return List.of(KIT_USER, kitPassword);
    }
    return password == null ? List.of() : List.of(password);
  }

  /**
   * Writes the files of the server. Done once, not at each restart: a server keeps there what
   * Sentinel or CONFIG REWRITE made of it.
   */
  void write(Path directory, int port) {
    List<String> all = new ArrayList<>();
    all.add("bind 127.0.0.1");
    all.add("dir \"%s\"".formatted(directory));
    all.addAll(portLines(port));
    if (!sentinel) {
      all.addAll(dataLines(directory));
    }
    all.addAll(lines);
    try {
      Files.write(file(directory), all);
      if (!users.isEmpty()) {
        Files.write(aclFile(directory), aclLines());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("server '%s': cannot be configured".formatted(binary), e);
    }
  }

  static Path socket(Path directory) {
    return directory.resolve("redis.sock");
  }

  private List<String> portLines(int port) {
    TlsFiles.Identity identity = tls;
    if (identity == null) {
      return List.of("port " + port);
    }
    return List.of(
        "port 0",
        "tls-port " + port,
        "tls-cert-file \"%s\"".formatted(identity.certificate()),
        "tls-key-file \"%s\"".formatted(identity.key()),
        "tls-ca-cert-file \"%s\"".formatted(identity.authority()),
        "tls-auth-clients no",
        "tls-replication yes",
        "tls-cluster yes");
  }

  private List<String> dataLines(Path directory) {
    List<String> data = new ArrayList<>(List.of("save \"\"", "repl-diskless-sync-delay 0"));
    if (binary.isAtLeast(7, 0)) {
      data.add("enable-debug-command local");
    }
    if (unixSocket) {
      data.add("unixsocket \"%s\"".formatted(socket(directory)));
    }
    if (!users.isEmpty()) {
      data.add("aclfile \"%s\"".formatted(aclFile(directory)));
    } else if (password != null) {
      data.add("requirepass \"%s\"".formatted(password));
    }
    if (password != null) {
      data.add("masterauth \"%s\"".formatted(password));
    }
    return data;
  }

  private List<String> aclLines() {
    List<String> acl = new ArrayList<>();
    acl.add("user %s on >%s ~* &* +@all".formatted(KIT_USER, kitPassword));
    if (!users.containsKey("default")) {
      String secret = password == null ? "nopass" : ">" + password;
      acl.add("user default on %s ~* &* +@all".formatted(secret));
    }
    users.forEach((name, rules) -> acl.add("user %s %s".formatted(name, rules)));
    return acl;
  }

  private static Path file(Path directory) {
    return directory.resolve("redis.conf");
  }

  private static Path aclFile(Path directory) {
    return directory.resolve("users.acl");
  }
}
