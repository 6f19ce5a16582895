package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every line of forwarding-cases.txt. */
class ForwardingCasesTest {
  private static final String[] TRUSTED = {"10.0.0.0/8", "192.0.2.128/25", "fd00::/8", "::1"};
  private static final Pattern CASE = Pattern.compile("(xff|fwd)  (.*?) \\| (.*) => (\\S+)");
  private static final Pattern REPEATED = Pattern.compile("«(\\d+)×(.*?)»");

  static List<String> cases() throws IOException {
    try (InputStream file =
        Objects.requireNonNull(
            ForwardingCasesTest.class.getResourceAsStream("forwarding-cases.txt"))) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
    }
  }

  @Test
  void thereAreAtLeastTwoHundredCases() throws IOException {
    assertThat(cases()).hasSizeGreaterThanOrEqualTo(200).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theRightAddressIsTheClient(String line) {
    Matcher parts = CASE.matcher(line);
    assertThat(parts.matches()).as(line).isTrue();
    boolean forwarded = parts.group(1).equals("fwd");
    SentRequest request = SentRequest.from(text(parts.group(2)));
    if (!parts.group(3).equals("-")) {
      for (String sent : parts.group(3).split(" ⏎ ", -1)) {
        request.header(forwarded ? "Forwarded" : "X-Forwarded-For", text(sent));
      }
    }
    ClientAddress address =
        ClientAddress.trusting(TRUSTED)
            .header(
                forwarded ? ClientAddress.Header.FORWARDED : ClientAddress.Header.X_FORWARDED_FOR);
    assertThat(address.of(request).orElse("(none)")).isEqualTo(parts.group(4));
  }

  private static String text(String written) {
    if (written.equals("(empty)")) {
      return "";
    }
    Matcher repeated = REPEATED.matcher(written);
    String whole =
        repeated.replaceAll(
            found ->
                Matcher.quoteReplacement(
                    unescaped(found.group(2)).repeat(Integer.parseInt(found.group(1)))));
    return repeated.reset().find() ? whole : unescaped(whole);
  }

  private static String unescaped(String text) {
    return text.replace("\\0", "\0")
        .replace("\\t", "\t")
        .replace("\\r", "\r")
        .replace("\\\\", "\\");
  }
}
