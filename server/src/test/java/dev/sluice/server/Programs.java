package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs that Maven cannot bring. */
public final class Programs {
  private static final long LONGEST_SECONDS = 60;

  private Programs() {}

  /**
   * The path of a program; where it is missing, says so in one line, or fails if {@code
   * SLUICE_REQUIRE_ALL} is set.
   */
  public static Optional<String> find(String program) {
    Optional<String> found =
        // Debian keeps nginx where only root looks.
        Stream.of(
                (System.getenv("PATH") + File.pathSeparator + "/usr/sbin")
                    .split(File.pathSeparator, -1))
            .map(directory -> new File(directory, program))
            .filter(File::canExecute)
            .map(File::getPath)
            .findFirst();
    if (found.isEmpty()) {
      if ("true".equals(System.getenv("SLUICE_REQUIRE_ALL"))) {
        fail("program '%s': must be on the PATH, SLUICE_REQUIRE_ALL is set", program);
      }
      System.out.println("program '" + program + "' is not on the PATH: not tested with it");
    }
    return found;
  }

  /** A port that was free a moment ago, for a program that cannot pick one itself. */
  public static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** What a program prints, errors included; it must end by itself. */
  public static String run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).isTrue();
      return output;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }
}
