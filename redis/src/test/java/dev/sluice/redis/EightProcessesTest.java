package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.Admissions.Admission;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Eight processes on one sliding log of 100 a second: never more than 100 in any window. */
class EightProcessesTest {
  private static final int PROCESSES = 8;
  private static final int PERMITS = 100;
  private static final long SECOND_NANOS = 1_000_000_000L;

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void admitWhatIsAllowedAndNeverMore(RedisBinary binary) throws Exception {
    int seconds = binary.equals(RedisBinary.bundled()) ? 10 : 4;
    try (RedisServer server = RedisServer.on(binary).start()) {
      Admissions history = hammer(server.uri(), seconds);
      assertThat(history.mostByServerClock(1_000_000)).isEqualTo(PERMITS);
      assertThat(history.mostSeenFromOutside(SECOND_NANOS)).isLessThanOrEqualTo(PERMITS);
      assertThat(history.size()).isGreaterThanOrEqualTo(PERMITS * seconds * 99 / 100);
    }
  }

  private static Admissions hammer(String uri, int seconds)
      throws IOException, InterruptedException {
    List<Process> processes = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(process(uri));
      }
      List<BufferedReader> outputs = processes.stream().map(EightProcessesTest::output).toList();
      for (BufferedReader output : outputs) {
        assertThat(output.readLine()).isEqualTo("ready");
      }
      long start = System.nanoTime() + SECOND_NANOS / 2;
      for (Process process : processes) {
        PrintStream input =
            new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        input.println(start);
        input.println(start + seconds * SECOND_NANOS);
      }
      List<Admission> admissions = new ArrayList<>();
      for (BufferedReader output : outputs) {
        output.lines().map(Admission::parse).forEach(admissions::add);
      }
      for (Process process : processes) {
        assertThat(process.waitFor()).isEqualTo(0);
      }
      return new Admissions(admissions);
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  private static Process process(String uri) throws IOException {
    return new ProcessBuilder(
            System.getProperty("java.home") + "/bin/java",
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Hammer.class.getName(),
            uri,
            Integer.toString(PERMITS),
            "1000")
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static BufferedReader output(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  @Test
  void theCheckerSeesOneTooMany() {
    List<Admission> evenly =
        LongStream.range(0, 101)
            .mapToObj(i -> new Admission(i * 9_900_000, i * 9_900_000 + 1, i * 9_900))
            .toList();
    assertThat(new Admissions(evenly).mostByServerClock(1_000_000)).isEqualTo(101);
    assertThat(new Admissions(evenly).mostSeenFromOutside(SECOND_NANOS)).isEqualTo(101);
    List<Admission> exactly =
        LongStream.range(0, 101)
            .mapToObj(i -> new Admission(i * 10_000_000, i * 10_000_000 + 1, i * 10_000))
            .toList();
    assertThat(new Admissions(exactly).mostByServerClock(1_000_000)).isEqualTo(100);
    assertThat(new Admissions(exactly).mostSeenFromOutside(SECOND_NANOS)).isEqualTo(100);
  }
}
