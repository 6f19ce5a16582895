package dev.sluice.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** docs/spring.md shows every property, with its default; what the build generates is the truth. */
class DocumentationTest {
  private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

  private final String page = read();

  private static String read() {
    try {
      return Files.readString(Path.of("..", "docs", "spring.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<JsonNode> properties() throws IOException {
    try (InputStream file = DocumentationTest.class.getResourceAsStream(METADATA)) {
      List<JsonNode> found = new ArrayList<>();
      JsonMapper.shared().readTree(file).get("properties").forEach(found::add);
      return found;
    }
  }

  @Test
  void everyPropertyHasItsRow() throws IOException {
    List<String> names = properties().stream().map(p -> p.get("name").stringValue()).toList();
    assertThat(names).hasSizeGreaterThan(10);
    List<String> rows =
        page.lines()
            .filter(line -> line.matches("\\| `(sluice|management)\\..*"))
            .map(line -> line.substring(3, line.indexOf('`', 3)))
            .toList();
    assertThat(rows).containsExactlyInAnyOrderElementsOf(names);
  }

  @Test
  void everyRowHasTheDefault() throws IOException {
    for (JsonNode property : properties()) {
      JsonNode value = property.get("defaultValue");
      if (value != null) {
        String text = value.isArray() ? values(value) : value.asString().replaceAll("[\\[\\]]", "");
        assertThat(page)
            .contains("| `%s` | `%s` |".formatted(property.get("name").stringValue(), text));
      }
    }
  }

  private static String values(JsonNode array) {
    return array.valueStream().map(JsonNode::asString).collect(Collectors.joining(", "));
  }

  @Test
  void everyPropertyIsDescribedForEditors() throws IOException {
    assertThat(properties())
        .allSatisfy(
            property -> assertThat(property.get("description").stringValue()).endsWith("."));
  }

  /** Metadata ends at maps and lists: below them the records themselves are the truth. */
  @Test
  void everyWordOfPoliciesLimitsAndRulesIsShown() {
    Stream.of(
            PolicyProperties.class,
            PolicyProperties.KeyProperties.class,
            LimitProperties.class,
            RuleProperties.class,
            RuleProperties.Check.class)
        .flatMap(type -> Stream.of(type.getRecordComponents()))
        .map(RecordComponent::getName)
        .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
        .forEach(word -> assertThat(page).containsPattern("[`{ ]" + word + "[`:]"));
  }
}
