package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ServerOptions;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HostileKeysTest {
  private static Caller caller;

  @BeforeAll
  static void start() {
    caller = Caller.of(new ServerOptions());
  }

  @AfterAll
  static void stop() {
    caller.close();
  }

  static Stream<String> inAPath() {
    return Stream.of(
        "<img src=x onerror=alert(1)>",
        "\u202Eevil\u202C",
        "a/b",
        "//",
        "a%2Fb",
        "..a",
        "a..b",
        "\uD83D\uDE00 emoji",
        "a;b=c",
        "a?b#c&d=e+f",
        "back\\slash",
        ".",
        "{tag}:*",
        "'); DROP TABLE keys;--",
        "x".repeat(10_000));
  }

  static Stream<String> inABodyOnly() {
    return Stream.of(
        "..",
        "a/../b",
        "NUL \u0000 inside",
        "new\r\nSet-Cookie: x=y",
        "\uD800 alone",
        "é".repeat(10_000));
  }

  @ParameterizedTest
  @MethodSource("inAPath")
  void keyInAPathArrivesAsItWasSent(String key) {
    String path = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
    HttpResponse<String> response = caller.get("/v1/check/login/" + path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(Doc.of(response)).containsEntry("key", key);
    assertThat(response.headers().map()).doesNotContainKey("set-cookie");
  }

  @ParameterizedTest
  @MethodSource({"inAPath", "inABodyOnly"})
  void keyInABodyArrivesAsItWasSent(String key) {
    String body = "{\"policy\":\"demo\",\"key\":\"%s\"}".formatted(escaped(key));
    HttpResponse<String> response = caller.post("/v1/check", body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(Doc.of(response)).containsEntry("key", key);
  }

  @ParameterizedTest
  @MethodSource("inABodyOnly")
  void pathThatCannotCarryAKeyIsRefusedNeverGuessed(String key) {
    String path = URLEncoder.encode(key, StandardCharsets.UTF_8).replace("+", "%20");
    HttpResponse<String> response = caller.get("/v1/check/demo/" + path.replace(".", "%2E"));
    // An unpaired surrogate is "?" for the encoder already: nothing the server could know.
    int refused = key.length() > 1_000 ? 414 : 400;
    assertThat(response.statusCode()).isEqualTo(key.contains("\uD800") ? 200 : refused);
    assertThat(response.headers().map()).doesNotContainKey("set-cookie");
  }

  @Test
  void differentKeysNeverShareACounter() {
    Set<String> different = new HashSet<>();
    for (String key : Stream.concat(inAPath(), inABodyOnly()).toList()) {
      String body = "{\"policy\":\"demo\",\"key\":\"apart %s\"}".formatted(escaped(key));
      HttpResponse<String> response = caller.post("/v1/check", body);
      assertThat(Doc.number(Doc.of(response), "remaining")).as(key).isEqualTo(19);
      different.add(key);
    }
    assertThat(different).hasSize(21);
  }

  private static String escaped(String key) {
    StringBuilder escaped = new StringBuilder();
    key.chars().forEach(c -> escaped.append("\\u%04x".formatted(c)));
    return escaped.toString();
  }
}
