package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files made to cost more than they weigh. */
class HostileFileTest {
  @TempDir Path directory;

  static Stream<Arguments> files() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%d: &a%d [".formatted(i, i));
      bomb.append("*a%d, ".formatted(i - 1).repeat(9)).append("x]\n");
    }
    return Stream.of(
        Arguments.of(bomb.toString(), ":2: aliases are not supported, got '*a0'"),
        Arguments.of("[".repeat(100_000), ":1: nesting must be at most 20 deep"),
        Arguments.of("{a: ".repeat(100_000), ":1: nesting must be at most 20 deep"),
        Arguments.of("- ".repeat(100_000), ":1: nesting must be at most 20 deep"),
        Arguments.of("? ".repeat(100_000), ":1: nesting must be at most 20 deep"),
        Arguments.of(
            "policies: !!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[x]]]",
            ":1: tags are not supported, got 'tag:yaml.org,2002:javax.script.ScriptEngineManager'"),
        Arguments.of("policies: !local x", ":1: tags are not supported, got '!local'"));
  }

  @ParameterizedTest
  @MethodSource("files")
  void isRefusedWithItsLine(String text, String problem) throws IOException {
    Path file = directory.resolve("hostile.yml");
    Files.writeString(file, text);
    assertThatThrownBy(() -> PolicyFile.read(file)).hasMessage(file + problem);
  }

  @Test
  void hugeFileIsNotReadToItsEnd() throws IOException {
    Path file = directory.resolve("huge.yml");
    byte[] line = "x: y\n".repeat(200_000).getBytes(StandardCharsets.UTF_8);
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int i = 0; i < 100; i++) {
        out.write(line);
      }
    }
    assertThat(Files.size(file)).isEqualTo(100_000_000);
    assertThatThrownBy(() -> PolicyFile.read(file))
        .hasMessage(file + ":1: a policies file must be at most 1048576 bytes");
  }

  @Test
  void thousandProblemsAreReportedAsAHundred() throws IOException {
    Path file = directory.resolve("many.yml");
    StringBuilder text = new StringBuilder("policies:\n");
    for (int i = 0; i < 1_000; i++) {
      text.append("  p%d: {}\n".formatted(i));
    }
    Files.writeString(file, text);
    assertThatThrownBy(() -> PolicyFile.read(file))
        .satisfies(wrong -> assertThat(((PolicyFileException) wrong).problems()).hasSize(100));
  }

  @Test
  void bytesThatAreNoUtf8AreRefused() throws IOException {
    Path file = directory.resolve("latin.yml");
    Files.write(file, "policies: {é: 1}".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> PolicyFile.read(file))
        .hasMessage(file + ":1: a policies file must be UTF-8");
    Files.write(file, "policies:\n  # ü\n  é: 1".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> PolicyFile.read(file))
        .hasMessageStartingWith(file + ":3: policy 'é': must be a mapping");
    Files.write(file, "policies:\n  # u\n  é: 1".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> PolicyFile.read(file))
        .hasMessage(file + ":3: a policies file must be UTF-8");
  }
}
