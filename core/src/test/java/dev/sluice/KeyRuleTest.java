package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyRuleTest {
  @ParameterizedTest
  @CsvSource({
    "user:7, user:7, true",
    "user:7, user:77, false",
    "plan:pro:*, plan:pro:7, true",
    "plan:pro:*, plan:pro:, true",
    "plan:pro:*, plan:pro, false",
    "*:admin, root:admin, true",
    "*:admin, root:admin:x, false",
    "a*b*c, abc, true",
    "a*b*c, aXbYc, true",
    "a*b*c, acb, false",
    "ab*ba, aba, false",
    "ab*ba, abba, true",
    "a*bc*c, abc, false",
    "*, anything, true",
    "**, anything, true",
    "a.c, abc, false",
    "*é*, café au lait, true",
  })
  void starMatchesAnyCharacters(String pattern, String key, boolean matches) {
    assertThat(KeyRule.deny(pattern).matches(key)).isEqualTo(matches);
  }

  @Test
  void matchesAsARegularExpressionWould() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 20_000; i++) {
      String pattern = text(random, "ab*", 1 + random.nextInt(6));
      String key = text(random, "ab", random.nextInt(8));
      boolean expected = Pattern.matches(pattern.replace("*", ".*"), key);
      assertThat(KeyRule.deny(pattern).matches(key))
          .as("%s on %s", pattern, key)
          .isEqualTo(expected);
    }
  }

  private static String text(SplittableRandom random, String letters, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }

  @Test
  void manyStarsDoNotMakeMatchingSlow() {
    KeyRule rule = KeyRule.deny("*a".repeat(50) + "b");
    assertThat(rule.matches("a".repeat(100_000))).isFalse();
  }

  @Test
  void ruleSaysWhatItDoes() {
    Limit limit = Limit.parse("10/s");
    KeyRule limits = KeyRule.limits("a*", List.of(limit));
    assertThat(limits.kind()).isEqualTo(KeyRule.Kind.LIMITS);
    assertThat(limits.limits()).containsExactly(limit);
    assertThat(limits.pattern()).isEqualTo("a*");
    assertThat(limits).hasToString("'a*' -> [token-bucket: token-bucket 10 per 1s]");
    assertThat(KeyRule.deny("b")).hasToString("'b' -> DENY");
    assertThat(KeyRule.unlimited("c")).hasToString("'c' -> UNLIMITED");
    assertThat(KeyRule.unlimited("c").limits()).isEmpty();
  }

  @Test
  void ruleThatMakesNoSenseIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyRule.deny(""))
        .withMessage("key pattern must not be empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KeyRule.limits("a*", List.of()))
        .withMessage("key pattern 'a*': limits must not be empty; use unlimited instead");
    assertThatNullPointerException().isThrownBy(() -> KeyRule.deny(null)).withMessage("pattern");
  }
}
