package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.testkit.HelloApp;
import dev.sluice.spring.testkit.RunningApp;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;

/** What a newcomer copies does what the text says. */
class SnippetTest {
  private static final Pattern YAML = Pattern.compile("( *)```yaml\n(.*?)\n *```", Pattern.DOTALL);

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"README.md", "docs/spring.md"})
  void theSixthRequestIsAnswered429(String file) throws Exception {
    Matcher first = YAML.matcher(Files.readString(Path.of("..").resolve(file)));
    assertThat(first.find()).isTrue();
    String snippet = first.group(2).replaceAll("(?m)^" + first.group(1), "");
    Files.writeString(directory.resolve("application.yml"), snippet);
    try (RunningApp app =
        RunningApp.start(
            WebApplicationType.SERVLET,
            HelloApp.class,
            "spring.config.additional-location=" + directory.toUri())) {
      for (int i = 1; i <= 5; i++) {
        assertThat(app.get("/").statusCode()).isEqualTo(200);
      }
      assertThat(app.get("/").statusCode()).isEqualTo(429);
    }
  }
}
