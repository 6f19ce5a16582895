package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

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

  /**
   * 1200 requests, 40 at once, to a limit of 1000 an hour, of which nothing is used yet: exactly
   * 1000 are answered 200 and 200 are answered 429, and the headers of every answer say so.
   *
   * @param limit the name of the limit, a sliding log
   */
  public static void exactlyAThousandPass(URI uri, String limit)
      throws IOException, InterruptedException {
    String[] answers = run(1_200, 40, uri).split("(?m)^HTTP/1\\.[01] ");
    List<String> passed = having("200", answers);
    List<String> denied = having("429", answers);
    assertThat(passed).hasSize(1_000);
    assertThat(denied).hasSize(200);
    // Each permit was handed out once: 999, 998 … 0 left; the denied all saw 0.
    assertThat(passed.stream().map(answer -> header(answer, "X-RateLimit-Remaining")))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 1_000).mapToObj(Integer::toString).toList());
    String policy = "\"%s\";q=1000;w=3600".formatted(limit);
    for (String answer : passed) {
      String left = header(answer, "X-RateLimit-Remaining");
      assertThat(header(answer, "RateLimit")).startsWith("\"%s\";r=%s;t=".formatted(limit, left));
      assertThat(header(answer, "RateLimit-Policy")).isEqualTo(policy);
      assertThat(header(answer, "X-RateLimit-Limit")).isEqualTo("1000");
      assertThat(header(answer, "Retry-After")).isEmpty();
    }
    for (String answer : denied) {
      String retry = header(answer, "Retry-After");
      assertThat(Integer.parseInt(retry)).isBetween(1, 3_600);
      assertThat(header(answer, "RateLimit")).isEqualTo("\"%s\";r=0;t=%s".formatted(limit, retry));
      assertThat(header(answer, "RateLimit-Policy")).isEqualTo(policy);
      assertThat(header(answer, "X-RateLimit-Remaining")).isEqualTo("0");
    }
  }

  private static List<String> having(String status, String[] answers) {
    return Arrays.stream(answers).filter(answer -> answer.startsWith(status + " ")).toList();
  }

  private static String header(String answer, String name) {
    return Pattern.compile("(?mi)^" + name + ": ([^\\r\\n]*)")
        .matcher(answer)
        .results()
        .map(found -> found.group(1))
        .findFirst()
        .orElse("");
  }

  /** Sends so many requests, so many of them at once, and answers the report with all headers. */
  private static String run(int requests, int atOnce, URI uri)
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
