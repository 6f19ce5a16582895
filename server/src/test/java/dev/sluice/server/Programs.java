package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
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
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
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
