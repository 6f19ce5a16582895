package dev.sluice.redis.testkit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real server process on a loopback port, with a directory of its own.
 *
 * <p>{@code RedisServer.on(RedisBinary.bundled()).start()}. It ends with {@link #close()} or with
 * the JVM; only the pid recorded at its start is ever signalled. Safe for use by several threads.
 */
public final class RedisServer implements AutoCloseable {
  // A start takes 15 ms, on a busy machine with two cores up to 250 ms.
  private static final Duration START_LIMIT = Duration.ofSeconds(15);
  // From 7.0 on a primary waits up to 10 s for its replicas (shutdown-timeout).
  private static final Duration STOP_LIMIT = Duration.ofSeconds(15);
  private static final int LOG_TAIL = 64 * 1024;

  private final ServerConfig config;
  private final ReservedPort port;
  private final Path directory;
  private volatile Process process;
  private volatile boolean suspended;
  private volatile @Nullable String lastLogs;

  private RedisServer(ServerConfig config, ReservedPort port, Path directory) throws IOException {
    this.config = config;
    this.port = port;
    this.directory = directory;
    this.process = launch();
  }

  /** Begins the description of a server; end it with {@link ServerConfig#start()}. */
  public static ServerConfig on(RedisBinary binary) {
    return new ServerConfig(binary);
  }

  static RedisServer start(ServerConfig config) {
    ReservedPort port = ReservedPort.take();
    Path directory = Leftovers.directory("server-");
    config.write(directory, port.number());
    RedisServer server;
    try {
      server = new RedisServer(config, port, directory);
    } catch (IOException e) {
      port.close();
      throw new UncheckedIOException("server '%s': cannot start".formatted(config.binary()), e);
    }
    try {
      server.awaitAnswer();
      return server;
    } catch (RuntimeException | AssertionError failed) {
      server.close();
      throw failed;
    }
  }

  /** The port, the same for the whole life of this object. */
  public int port() {
    return port.number();
  }

  /** Where clients connect: {@code redis://[:password@]127.0.0.1:port}, with TLS rediss. */
  public String uri() {
    return uriOf(login());
  }

  /** What stands before the host in an address: {@code :password@}, or nothing. */
  String login() {
    String secret = config.password();
    return secret == null ? "" : ":" + secret + "@";
  }

  /** Where a client connects as an ACL user. */
  public String uri(String user, String password) {
    return uriOf(user + ":" + password + "@");
  }

  private String uriOf(String login) {
    return (config.tls() == null ? "redis://" : "rediss://") + login + "127.0.0.1:" + port();
  }

  /** The words of AUTH by which another server may come in. */
  List<String> credentials() {
    return config.credentials();
  }

  /** The Unix socket asked for by {@link ServerConfig#unixSocket()}. */
  public Path unixSocket() {
    if (!config.hasUnixSocket()) {
      throw new IllegalStateException("server '%s': has no Unix socket".formatted(this));
    }
    return ServerConfig.socket(directory);
  }

  /** The program that runs. */
  public RedisBinary binary() {
    return config.binary();
  }

  /** The pid of the latest process; after a restart it is another. */
  public long pid() {
    return process.pid();
  }

  /** Whether the process exists, be it suspended. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Whether the process exists and is not suspended, so that a command has hope of a reply. */
  public boolean isRunning() {
    return isAlive() && !suspended;
  }

  /**
   * Sends one command on a connection of its own, with full rights.
   *
   * @throws ErrorReplyException if the server answers with an error
   * @throws UncheckedIOException if it does not answer within {@link Resp#TIMEOUT}
   */
  public @Nullable Object command(String... words) {
    try (Resp resp = connect(StandardCharsets.UTF_8)) {
      return resp.command(words);
    }
  }

  /** Whether the text that answers a command, INFO for example, has exactly this line. */
  boolean says(String line, String... words) {
    return String.valueOf(command(words)).lines().anyMatch(line::equals);
  }

  /** Opens a connection with full rights. */
  public Resp connect(Charset charset) {
    TlsFiles.Identity tls = config.tls();
    Resp resp =
        tls == null
            ? Resp.connect(port(), charset)
            : Resp.connectPinned(port(), tls.pinned(), charset);
    if (!credentials().isEmpty()) {
      try {
        resp.command(
            Stream.concat(Stream.of("AUTH"), credentials().stream()).toArray(String[]::new));
      } catch (RuntimeException refused) {
        resp.close();
        throw refused;
      }
    }
    return resp;
  }

  /** Kills the process with SIGKILL and waits until it is gone; the directory stays. */
  public synchronized void kill9() {
    process.destroyForcibly();
    awaitExit();
  }

  /** Ends the process with SIGTERM, after which Redis saves what it is told to save. */
  public synchronized void stop() {
    if (suspended) {
      resume();
    }
    process.destroy();
    awaitExit();
  }

  /** Freezes the process with SIGSTOP: the kernel still accepts connections, nobody answers. */
  public synchronized void suspend() {
    signal("STOP");
    suspended = true;
    Path state = Path.of("/proc", Long.toString(pid()), "stat");
    if (Files.exists(state)) {
      Await.until(START_LIMIT, () -> isStopped(state), this + " is stopped");
    }
  }

  /** Lets a suspended process go on with SIGCONT. */
  public synchronized void resume() {
    signal("CONT");
    suspended = false;
  }

  /** Starts the process again on the same port and directory, stopping it before if it runs. */
  public synchronized void restart() {
    if (isAlive()) {
      stop();
    }
    try {
      process = launch();
    } catch (IOException e) {
      throw new UncheckedIOException("server '%s': cannot start again".formatted(this), e);
    }
    awaitAnswer();
  }

  /** The last 64 KiB of what the server wrote, over all restarts; also after {@link #close()}. */
  public String logs() {
    String last = lastLogs;
    return last == null ? readLogs() : last;
  }

  /** Kills the process and removes its directory. Closing twice is allowed. */
  @Override
  public synchronized void close() {
    if (lastLogs != null) {
      return;
    }
    kill9();
    lastLogs = readLogs();
    Leftovers.remove(directory);
    port.close();
  }

  /** Reads well in a failure: {@code redis 7.0.15 at port 20123}. */
  @Override
  public String toString() {
    return "%s at port %d".formatted(config.binary(), port());
  }

  private Process launch() throws IOException {
    suspended = false;
    return Leftovers.start(
        new ProcessBuilder(config.commandLine(directory))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(logFile().toFile())));
  }

  private void awaitAnswer() {
    Await.until(START_LIMIT, this::answers, () -> this + " answers PING; its log:\n" + logs());
  }

  private boolean answers() {
    if (!isAlive()) {
      throw new IllegalStateException(
          "server '%s': must run, but ended with %d; its log:\n%s"
              .formatted(this, process.exitValue(), logs()));
    }
    try {
      return "PONG".equals(command("PING"));
    } catch (ErrorReplyException loading) {
      return false;
    } catch (UncheckedIOException notYetListening) {
      return false;
    }
  }

  private void awaitExit() {
    try {
      if (!process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException(
            "server '%s': did not end; its log:\n%s".formatted(this, logs()));
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("server '%s': interrupted".formatted(this), stopped);
    }
  }

  private void signal(String name) {
    if (!isAlive()) {
      throw new IllegalStateException(
          "server '%s': must run to get SIG%s, but has ended".formatted(this, name));
    }
    try {
      // The shell's own kill: the program of that name is not installed everywhere.
      String[] command = {"/bin/sh", "-c", "kill -%s %d".formatted(name, pid())};
      int status = new ProcessBuilder(command).start().waitFor();
      if (status != 0) {
        throw new IllegalStateException(
            "server '%s': SIG%s failed with %d".formatted(this, name, status));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("server '%s': cannot send SIG%s".formatted(this, name), e);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("server '%s': interrupted".formatted(this), stopped);
    }
  }

  /** Reads field 3 of /proc/pid/stat, which follows the program's name in parentheses. */
  private static boolean isStopped(Path state) {
    try {
      String text = Files.readString(state);
      return text.startsWith("T", text.lastIndexOf(')') + 2);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + state, e);
    }
  }

  private Path logFile() {
    return directory.resolve("server.log");
  }

  private String readLogs() {
    try (RandomAccessFile file = new RandomAccessFile(logFile().toFile(), "r")) {
      long start = Math.max(0, file.length() - LOG_TAIL);
      byte[] tail = new byte[(int) (file.length() - start)];
      file.seek(start);
      file.readFully(tail);
      return new String(tail, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(no log: %s)".formatted(e.getMessage());
    }
  }
}
