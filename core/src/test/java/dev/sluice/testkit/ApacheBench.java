package dev.sluice.spring.testkit;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The load generator of the Apache project: a client that is not ours. */
public final class ApacheBench {
  private ApacheBench() {}

  /** Whether it is on the path; where it is not, one line says so, or fails under REQUIRE_ALL. */
  public static boolean isThere() {
    boolean there =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(folder -> new File(folder, "ab").canExecute());
    if (!there && "true".equals(System.getenv("SLUICE_REQUIRE_ALL"))) {
      throw new AssertionError("ab must be on the path (package apache2-utils)");
    }
    if (!there) {
      System.out.println("not run: ab is not on the path (package apache2-utils)");
    }
    return there;
  }

  /** Sends so many requests, so many of them at once, and answers the report with all headers. */
  public static String run(int requests, int atOnce, URI uri)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                "ab", "-q", "-v", "2", "-n", "" + requests, "-c", "" + atOnce, uri.toString())
            .redirectErrorStream(true)
            .start();
    String report = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError("ab failed: " + report);
    }
    return report;
  }
}
