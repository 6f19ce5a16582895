package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    assertThat(named).hasSizeGreaterThan(100);
    Map<String, String> sources = sources();
    for (MatchResult test : named) {
      assertThat(sources.getOrDefault(test.group(1), ""))
          .as(test.group())
          .contains(" " + test.group(2) + "(");
    }
  }

  /** The tests of all modules by their name; those of one name together. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path tests : modules.map(m -> m.resolve("src/test/java")).toList()) {
        if (Files.isDirectory(tests)) {
          addSources(tests, sources);
        }
      }
    }
    return sources;
  }

  private static void addSources(Path tests, Map<String, String> sources) throws IOException {
    try (Stream<Path> files = Files.walk(tests)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        String name = file.getFileName().toString().replace(".java", "");
        sources.merge(name, Files.readString(file), String::concat);
      }
    }
  }
}
