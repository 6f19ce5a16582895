package dev.sluice.examples.payments;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Worker processes, which share nothing but Redis. They end with {@link #close}, or with us. */
final class Workers implements AutoCloseable {
  private static final long END_SECONDS = 10;

  private final List<Process> processes = new ArrayList<>();

  /** Starts {@code worker-1}, {@code worker-2} … */
  static Workers start(int count, String redis, URI provider) throws IOException {
    Workers workers = new Workers();
    for (int i = 1; i <= count; i++) {
      workers.processes.add(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx64m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Worker.class.getName(),
                  "worker-" + i,
                  redis,
                  provider.toString())
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.INHERIT)
              .start());
    }
    return workers;
  }

  boolean allRun() {
    return processes.stream().allMatch(Process::isAlive);
  }

  @Override
  public void close() {
    for (Process process : processes) {
      try {
        process.getOutputStream().close();
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      } catch (InterruptedException hurried) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }
}
