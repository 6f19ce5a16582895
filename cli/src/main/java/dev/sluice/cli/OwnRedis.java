package dev.sluice.cli;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A server of our own for a while: nothing on disk, nobody else on it. */
record OwnRedis(Process process, int port) implements AutoCloseable {
  private static final long LONGEST_START_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Starts the first redis-server or valkey-server of the PATH; null if there is none. */
  static @Nullable OwnRedis start() throws IOException, InterruptedException {
    Path program = onPath();
    return program == null ? null : start(program);
  }

  private static OwnRedis start(Path program) throws IOException, InterruptedException {
    int port = freePort();
    Process process =
        new ProcessBuilder(
                List.of(
                    program.toString(),
                    "--port",
                    Integer.toString(port),
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "",
                    "--appendonly",
                    "no"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    OwnRedis started = new OwnRedis(process, port);
    // A signal ends the JVM past every finally; to end a process twice does no harm.
    Runtime.getRuntime().addShutdownHook(new Thread(started::close, "sluice-own-redis"));
    long latest = System.nanoTime() + LONGEST_START_NANOS;
    while (!started.answers()) {
      if (!process.isAlive() || System.nanoTime() - latest > 0) {
        started.close();
        throw new IOException("%s: does not start on port %d".formatted(program, port));
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    return started;
  }

  private boolean answers() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static @Nullable Path onPath() {
    String path = System.getenv("PATH");
    for (String directory :
        (path == null ? "" : path).split(Pattern.quote(File.pathSeparator), -1)) {
      for (String name : List.of("redis-server", "valkey-server")) {
        Path program = Path.of(directory, name);
        if (Files.isExecutable(program)) {
          return program;
        }
      }
    }
    return null;
  }

  String uri() {
    return "redis://127.0.0.1:" + port;
  }

  @Override
  public void close() {
    process.destroy();
  }
}
