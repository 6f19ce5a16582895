package dev.sluice.http.field;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.http.field.StructuredField.Item;
import dev.sluice.http.field.StructuredField.Token;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The grammar of RFC 9651, section 4.2, rule by rule. */
class StructuredFieldTest {
  private static Object value(String text) {
    List<Item> items = StructuredField.list(List.of(text)).orElseThrow();
    assertThat(items).hasSize(1);
    return items.get(0).value();
  }

  @Test
  void everyTypeOfItemIsRead() {
    assertThat(value("42")).isEqualTo(42L);
    assertThat(value("-42")).isEqualTo(-42L);
    assertThat(value("007")).isEqualTo(7L);
    assertThat(value("999999999999999")).isEqualTo(999_999_999_999_999L);
    assertThat(value("4.5")).isEqualTo(new BigDecimal("4.5"));
    assertThat(value("-123456789012.123")).isEqualTo(new BigDecimal("-123456789012.123"));
    assertThat(value("\"a\\\"b\\\\c\"")).isEqualTo("a\"b\\c");
    assertThat(value("\"\"")).isEqualTo("");
    assertThat(value("foo123/456")).isEqualTo(new Token("foo123/456"));
    assertThat(value("*foo:!#$%&'*+-.^_`|~")).isEqualTo(new Token("*foo:!#$%&'*+-.^_`|~"));
    assertThat(value("?1")).isEqualTo(true);
    assertThat(value("?0")).isEqualTo(false);
    assertThat(value("@1659578233")).isEqualTo(1_659_578_233L);
    assertThat(value("%\"f%c3%bc\"")).isEqualTo("f%c3%bc");
    assertThat(value(":aGVsbG8=:")).isEqualTo("hello".getBytes(StandardCharsets.UTF_8));
    assertThat(value("::")).isEqualTo(new byte[0]);
    assertThat(value("(1 2;a  3)"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .hasSize(3);
    assertThat(value("()")).isEqualTo(List.of());
  }

  @Test
  void parametersFollowTheirItem() {
    List<Item> items =
        StructuredField.list(List.of("  \"a\";q=1; w=2;flag;q=3 ,\t\"b\";t=0  ")).orElseThrow();
    assertThat(items).hasSize(2);
    assertThat(items.get(0).value()).isEqualTo("a");
    assertThat(items.get(0).parameters())
        .containsEntry("q", 3L)
        .containsEntry("w", 2L)
        .containsEntry("flag", true);
    assertThat(items.get(0).count("q")).hasValue(3L);
    assertThat(items.get(0).count("flag")).isEmpty();
    assertThat(items.get(1).count("t")).hasValue(0L);
  }

  @Test
  void linesOfAHeaderAreOneList() {
    assertThat(StructuredField.list(List.of("\"a\"", "\"b\", \"c\"")).orElseThrow()).hasSize(3);
    assertThat(StructuredField.list(List.of())).hasValue(List.of());
    assertThat(StructuredField.list(List.of(""))).hasValue(List.of());
  }

  @Test
  void dictionariesHaveKeysAndTheLastOfEachCounts() {
    List<Item> members =
        StructuredField.dictionary(List.of("limit=10, on;x=1, limit=20, z=?0")).orElseThrow();
    assertThat(members).extracting(Item::key).containsExactly("on", "limit", "z");
    assertThat(members).extracting(Item::value).containsExactly(true, 20L, false);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ",",
        "1,",
        "1,,2",
        "1;",
        "1;A=1",
        "1;=1",
        "1 2",
        "\"a",
        "\"\\x\"",
        "\"\u00e9\"",
        "\"\t\"",
        "-",
        "--1",
        "1000000000000000",
        "1.",
        ".5",
        "1.2345",
        "1234567890123.1",
        "?",
        "?2",
        "?10",
        ":a",
        ":*:",
        "@",
        "@1.5",
        "@x",
        "%x",
        "é",
        "(1",
        "(1,2)",
        "(1;)",
        "(1\"a\")",
        "=1",
        "{}",
        "\0",
        "1\0",
        "\n1",
        "1\u00a0"
      })
  void whatIsMalformedIsNothingAtAll(String text) {
    assertThat(StructuredField.list(List.of("\"good\"", text))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"A=1", "1=1", "a=", "a=1 b=2", "a==1", "-a=1", "a,"})
  void malformedDictionariesAreNothingAtAll(String text) {
    assertThat(StructuredField.dictionary(List.of(text))).isEmpty();
  }

  @Test
  void aHugeHeaderIsNotRead() {
    assertThat(StructuredField.list(List.of("1" + ", 1".repeat(10_000)))).isEmpty();
  }
}
