package dev.sluice.redis;

import dev.sluice.redis.Admissions.Admission;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Processes that hammer one server together; started once, for a start takes seconds. */
final class Hammers implements AutoCloseable {
  /** One process, and what it says. */
  private static final class Worker {
    final Process process;
    final PrintStream input;
    final BlockingQueue<String> said = new LinkedBlockingQueue<>();

    Worker() {
      try {
        process =
            new ProcessBuilder(
                    System.getProperty("java.home") + "/bin/java",
                    "-Xmx64m",
                    "-Xshare:auto",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Hammer.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
      Thread reader = new Thread(this::read, "hammer-" + process.pid());
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
        lines.lines().forEach(said::add);
      } catch (IOException | UncheckedIOException killed) {
        // What it said until then was read.
      }
      said.add("done");
    }

    List<Admission> awaitDone() throws InterruptedException {
      List<Admission> admissions = new ArrayList<>();
      String line = said.poll(2, TimeUnit.MINUTES);
      while (line != null && !line.equals("done")) {
        admissions.add(Admission.parse(line));
        line = said.poll(2, TimeUnit.MINUTES);
      }
      if (line == null) {
        throw new IllegalStateException("process %d: is silent".formatted(process.pid()));
      }
      return admissions;
    }
  }

  private final List<Worker> workers = new ArrayList<>();
  private final List<Admission> ofTheDead = new ArrayList<>();

  Hammers(int count) {
    for (int i = 0; i < count; i++) {
      workers.add(new Worker());
    }
  }

  /** Connects all of them; waits until they are. */
  void open(String uri) throws InterruptedException {
    tell("open " + uri);
    awaitDone();
  }

  /** Has all of them ask for a key; {@link #awaitDone} waits for the end. */
  void run(String key, long permits, long mostCost, long startNanos, long endNanos) {
    tell("run %s %d %d %d %d".formatted(key, permits, mostCost, startNanos, endNanos));
  }

  private void tell(String line) {
    workers.forEach(worker -> worker.input.println(line));
  }

  /** What they were admitted, those included that were killed meanwhile. */
  Admissions awaitDone() throws InterruptedException {
    List<Admission> admissions = new ArrayList<>(ofTheDead);
    ofTheDead.clear();
    for (Worker worker : workers) {
      admissions.addAll(worker.awaitDone());
    }
    return new Admissions(admissions);
  }

  /** Has the last one take all permits of a key for a lease, then kills it. */
  void holdAndDie(String key, long permits, long leaseMillis) throws InterruptedException {
    Worker holder = workers.get(workers.size() - 1);
    holder.input.println("hold %s %d %d".formatted(key, permits, leaseMillis));
    holder.awaitDone();
    kill9();
  }

  /** Kills the last one with SIGKILL. */
  void kill9() throws InterruptedException {
    Worker victim = workers.remove(workers.size() - 1);
    victim.process.destroyForcibly().waitFor();
    ofTheDead.addAll(victim.awaitDone());
  }

  /** Stops the first one, as a debugger or a paused machine does. */
  void suspend() throws InterruptedException {
    signal("STOP");
  }

  void resume() throws InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws InterruptedException {
    try {
      String pid = Long.toString(workers.get(0).process.pid());
      int status = new ProcessBuilder("kill", "-" + name, pid).inheritIO().start().waitFor();
      if (status != 0) {
        throw new IllegalStateException("process %s: cannot get %s".formatted(pid, name));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    workers.forEach(worker -> worker.process.destroyForcibly());
  }
}
