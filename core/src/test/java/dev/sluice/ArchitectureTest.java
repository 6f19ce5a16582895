package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;

/** What the class files of core depend on, as the JDK's own jdeps reads them. */
class ArchitectureTest {
  private record Arrow(String from, String to) {}

  private static final List<Arrow> ARROWS = arrows();

  private static List<Arrow> arrows() {
    StringWriter out = new StringWriter();
    StringWriter errors = new StringWriter();
    try {
      Path classes =
          Path.of(Limit.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      ToolProvider jdeps = ToolProvider.findFirst("jdeps").orElseThrow();
      int exit =
          jdeps.run(
              new PrintWriter(out, true),
              new PrintWriter(errors, true),
              "-verbose:package",
              "-filter:none",
              "--ignore-missing-deps",
              "--multi-release",
              "base",
              classes.toString());
      assertThat(exit).as("%s%s", out, errors).isZero();
    } catch (URISyntaxException impossible) {
      throw new AssertionError(impossible);
    }
    return out.toString()
        .lines()
        .filter(line -> line.startsWith("   "))
        .map(line -> line.strip().split("\\s+"))
        .filter(words -> words.length > 2 && words[1].equals("->"))
        .map(words -> new Arrow(words[0], words[2]))
        .toList();
  }

  private static boolean isSluice(String name) {
    return name.equals("dev.sluice") || name.startsWith("dev.sluice.");
  }

  @Test
  void coreDependsOnTheJdkAndJspecifyOnly() {
    assertThat(ARROWS).isNotEmpty();
    assertThat(ARROWS)
        .extracting(Arrow::to)
        .filteredOn(to -> !isSluice(to))
        .allMatch(to -> to.startsWith("java.") || to.startsWith("org.jspecify."));
  }

  @Test
  void packagesHaveNoCycles() {
    assertThat(ARROWS)
        .filteredOn(arrow -> isSluice(arrow.from()) && isSluice(arrow.to()))
        .filteredOn(arrow -> !arrow.from().equals(arrow.to()))
        .containsExactlyInAnyOrder(
            new Arrow("dev.sluice.algorithm", "dev.sluice"),
            new Arrow("dev.sluice.memory", "dev.sluice"),
            new Arrow("dev.sluice.memory", "dev.sluice.algorithm"),
            new Arrow("dev.sluice.tier", "dev.sluice"));
  }
}
