package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.Admissions.Admission;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Real processes that take slices of one limit, some of them killed. */
class LeasedProcessesTest {
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final int BUSY_PAUSE_MICROS = 100;
  private static final int IDLE_PAUSE_MICROS = 1_000_000;

  /** A process, and what it says once it is ready. */
  private record Node(Process process, BufferedReader output) {
    static Node start(String uri, int permits, int perMillis, int pauseMicros) {
      try {
        Process process =
            new ProcessBuilder(
                    System.getProperty("java.home") + "/bin/java",
                    "-Xmx64m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    LeasedHammer.class.getName(),
                    uri,
                    Integer.toString(permits),
                    Integer.toString(perMillis),
                    Integer.toString(pauseMicros))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new Node(
            process,
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot start a process", e);
      }
    }

    void run(long start, long end) {
      PrintStream input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
      input.println(start);
      input.println(end);
    }

    CompletableFuture<List<Admission>> admissions() {
      // A killed process may have been cut off in the middle of a line.
      return CompletableFuture.supplyAsync(
          () ->
              output
                  .lines()
                  .filter(line -> line.matches("\\d+ \\d+ \\d{16} 1"))
                  .map(Admission::parse)
                  .toList(),
          task -> new Thread(task).start());
    }
  }

  @Test
  void oneBusyNodeAmongSevenIdleGetsItsLimitAndNeverMoreThanTheBoundBeyond() throws Exception {
    int permits = 1_000;
    int seconds = 6;
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      List<Node> nodes = new ArrayList<>();
      try {
        for (int i = 0; i < 8; i++) {
          int pause = i == 0 ? BUSY_PAUSE_MICROS : IDLE_PAUSE_MICROS;
          nodes.add(Node.start(server.uri(), permits, 1_000, pause));
        }
        List<CompletableFuture<List<Admission>>> histories = start(nodes, seconds);
        List<Admission> busy = histories.get(0).join();
        List<Admission> all = new ArrayList<>();
        histories.forEach(history -> all.addAll(history.join()));
        Admissions history = new Admissions(all);
        assertThat(history.mostSeenFromOutside(SECOND_NANOS)).isLessThanOrEqualTo(permits + 10);
        assertThat(busy.size()).isGreaterThanOrEqualTo(permits * seconds * 95 / 100);
        assertThat(server.command("EXISTS", "sl:{hammer:k}c~leased"))
            .as("slices that are still held")
            .isEqualTo(0L);
      } finally {
        nodes.forEach(node -> node.process.destroyForcibly());
      }
    }
  }

  @Test
  void killedNodesHoldUpNobodyForLongerThanALease() throws Exception {
    int permits = 1_000;
    int seconds = 6;
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      List<Node> nodes = new ArrayList<>();
      try {
        for (int i = 0; i < 4; i++) {
          nodes.add(Node.start(server.uri(), permits, 1_000, 4 * BUSY_PAUSE_MICROS));
        }
        List<CompletableFuture<List<Admission>>> histories = start(nodes, seconds);
        for (int killed = 1; killed <= 2; killed++) {
          // As soon as the next second of the run has begun, when slices are out.
          while (server.command("EXISTS", "sl:{hammer:k}c~leased").equals(0L)) {
            Thread.onSpinWait();
          }
          nodes.get(killed).process.destroyForcibly().waitFor();
        }
        List<Admission> all = new ArrayList<>();
        histories.forEach(history -> all.addAll(history.join()));
        Admissions history = new Admissions(all);
        assertThat(history.mostSeenFromOutside(SECOND_NANOS)).isLessThanOrEqualTo(permits + 10);
        assertThat(history.permits()).isGreaterThanOrEqualTo(permits * seconds * 95 / 100);
      } finally {
        nodes.forEach(node -> node.process.destroyForcibly());
      }
    }
  }

  @Test
  void twoNodesOnAHundredAnHourAdmitAHundred() throws Exception {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      List<Node> nodes = new ArrayList<>();
      try {
        for (int i = 0; i < 2; i++) {
          nodes.add(Node.start(server.uri(), 100, 3_600_000, BUSY_PAUSE_MICROS));
        }
        long admitted = start(nodes, 2).stream().mapToLong(history -> history.join().size()).sum();
        assertThat(admitted).isEqualTo(100);
      } finally {
        nodes.forEach(node -> node.process.destroyForcibly());
      }
    }
  }

  private static List<CompletableFuture<List<Admission>>> start(List<Node> nodes, int seconds)
      throws IOException {
    for (Node node : nodes) {
      assertThat(node.output.readLine()).isEqualTo("ready");
    }
    long start = System.nanoTime() + SECOND_NANOS / 2;
    nodes.forEach(node -> node.run(start, start + seconds * SECOND_NANOS));
    return nodes.stream().map(Node::admissions).toList();
  }
}
