package dev.sluice.cli;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The command as a real process. */
final class Cli implements AutoCloseable {
  private static final long LONGEST_SECONDS = 120;

  private final Process process;
  private final Path stderr;
  private final BufferedReader stdout;

  private Cli(Process process, Path stderr) {
    this.process = process;
    this.stderr = stderr;
    this.stdout =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  record Result(int status, String out, String err) {}

  static Cli start(Map<String, String> environment, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    if (Runtime.version().feature() >= 24) {
      // What the jar's manifest and the launcher say to a JVM that would warn on stderr.
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add("dev.sluice.cli.Main");
    command.addAll(List.of(args));
    Path stderr = Files.createTempFile("sluice", ".err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(stderr.toFile());
    builder.environment().putAll(environment);
    return new Cli(builder.start(), stderr);
  }

  static Result run(String... args) throws IOException, InterruptedException {
    return run(Map.of(), args);
  }

  static Result run(Map<String, String> environment, String... args)
      throws IOException, InterruptedException {
    try (Cli cli = start(environment, args)) {
      cli.process.getOutputStream().close();
      // Else a command that should have failed, and serves, would be read from for ever.
      CompletableFuture<Process> unused =
          cli.process
              .onExit()
              .orTimeout(LONGEST_SECONDS, TimeUnit.SECONDS)
              .exceptionally(late -> cli.process.destroyForcibly());
      String out = new String(cli.process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Result(cli.await(), out, cli.err());
    }
  }

  /** The same without a process of its own, for what needs none. */
  static Result call(Map<String, String> environment, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    StringWriter err = new StringWriter();
    int status = SluiceCommand.run(environment, out, new PrintWriter(err), args);
    return new Result(status, out.toString(Charset.defaultCharset()), err.toString());
  }

  static Result call(String... args) {
    return call(Map.of(), args);
  }

  /** The processes that it started. */
  List<ProcessHandle> children() {
    return process.children().toList();
  }

  String line() throws IOException {
    return stdout.readLine();
  }

  String err() throws IOException {
    return Files.readString(stderr);
  }

  /** SIGTERM. */
  void terminate() {
    // Not process.destroy(), which closes its output before it is read.
    process.toHandle().destroy();
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
  }

  int await() throws InterruptedException {
    if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("still running after " + LONGEST_SECONDS + " s");
    }
    return process.exitValue();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(stderr);
  }
}
