package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that docs/proof.md names are there. */
class ProofTest {
  private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+)\\.(\\w+)`");

  @Test
  void everyTestThatTheProofNamesExists() throws IOException {
    List<MatchResult> named =
        NAMED.matcher(Files.readString(Path.of("../docs/proof.md"))).results().toList();
    assertThat(named).hasSizeGreaterThan(30);
    for (MatchResult test : named) {
      assertThat(source(test.group(1))).contains(" " + test.group(2) + "(");
    }
  }

  private static String source(String type) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
      Path file =
          files
              .filter(path -> path.endsWith(type + ".java"))
              .findFirst()
              .orElseThrow(() -> new AssertionError("no test class " + type));
      return Files.readString(file);
    }
  }
}
