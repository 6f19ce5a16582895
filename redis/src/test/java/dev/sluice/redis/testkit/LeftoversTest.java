package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeftoversTest {
  /** Starts a server and a suspended one, tells where, and exits or waits when told so. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] arguments) throws IOException {
      RedisServer one = RedisServer.on(RedisBinary.bundled()).unixSocket().start();
      RedisServer two = RedisServer.on(RedisBinary.oldest()).start();
      RedisServer gone = RedisServer.on(RedisBinary.oldest()).start();
      gone.close();
      two.suspend();
      System.out.println(one.pid() + " " + two.pid() + " " + one.unixSocket());
      System.exit(System.in.read());
    }
  }

  @Test
  void jvmThatExitsLeavesNothing() throws Exception {
    Process jvm = startVictim();
    Found found = found(jvm);
    jvm.getOutputStream().write(7);
    jvm.getOutputStream().close();
    assertEquals(7, jvm.waitFor());
    found.awaitGone();
  }

  @Test
  void jvmKilledWithSigkillLeavesNothing() throws Exception {
    Process jvm = startVictim();
    Found found = found(jvm);
    jvm.destroyForcibly().waitFor();
    found.awaitGone();
  }

  private static Process startVictim() throws IOException {
    return Leftovers.start(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Victim.class.getName())
            .redirectError(Redirect.INHERIT));
  }

  private static Found found(Process jvm) throws IOException {
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8));
    String[] words = String.valueOf(reader.readLine()).split(" ", 3);
    Path root = Path.of(words[2]).getParent().getParent();
    Found found = new Found(Long.parseLong(words[0]), Long.parseLong(words[1]), root);
    assertTrue(isAlive(found.one()) && isAlive(found.two()) && Files.isDirectory(root));
    return found;
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  private record Found(long one, long two, Path root) {
    void awaitGone() {
      Await.until(
          Duration.ofSeconds(10),
          () -> !isAlive(one) && !isAlive(two) && Files.notExists(root),
          () -> "%s is gone: %s %s".formatted(this, isAlive(one), isAlive(two)));
    }
  }
}
