package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestKeyTest {
  private static RequestKey key(String text) {
    return RequestKey.parse(text, ClientAddress.ofPeer());
  }

  private static SentRequest get() {
    return SentRequest.of("GET", "/");
  }

  @Test
  void eachKindHasItsOwnWord() {
    assertThat(key("address").of(SentRequest.from("203.0.113.7"))).hasValue("ip:203.0.113.7");
    assertThat(key("principal").of(get().principal("alice"))).hasValue("user:alice");
    assertThat(key("claim:tenant").of(get().claim("tenant", "acme"))).hasValue("claim:tenant:acme");
    assertThat(key("header:X-Tenant").of(get().header("x-tenant", "acme")))
        .hasValue("header:x-tenant:acme");
    assertThat(key("method").of(SentRequest.of("head", "/"))).hasValue("method:GET");
    assertThat(key("route").of(get().route("/orders/{id}"))).hasValue("route:/orders/{id}");
    assertThat(key("everyone").of(get())).hasValue("all");
  }

  @Test
  void secretsAreDigested() {
    assertThat(key("api-key").of(get().header("X-Api-Key", "s3cret")))
        .hasValue("api-key:1ec1c26b50d5d3c58d9583181af80766");
    assertThat(key("api-key:Authorization").of(get().header("Authorization", "s3cret")))
        .hasValue("api-key:1ec1c26b50d5d3c58d9583181af80766");
    assertThat(key("cookie:sid").of(get().header("Cookie", "a=b; sid=s3cret; sid=other")))
        .hasValue("cookie:sid:1ec1c26b50d5d3c58d9583181af80766");
    assertThat(
            key("cookie:sid").of(get().header("Cookie", "a=b").header("Cookie", "sid=\"s3cret\"")))
        .hasValue("cookie:sid:1ec1c26b50d5d3c58d9583181af80766");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "address",
        "principal",
        "claim:x",
        "header:x",
        "api-key",
        "cookie:x",
        "route",
        "UNVERIFIED-jwt-claim:sub",
        "principal + method"
      })
  void aRequestThatDoesNotSayHasNoKey(String text) {
    assertThat(key(text).of(get())).isEmpty();
    assertThat(key(text).of(get().header("x", " ").header("Cookie", "x=").principal("\t")))
        .isEmpty();
  }

  @Test
  void aHeaderThatComesTwiceIsNoKey() {
    SentRequest twice = get().header("X-Api-Key", "a").header("X-Api-Key", "b");
    assertThat(key("api-key").of(twice)).isEmpty();
    assertThat(key("header:X-Api-Key").of(twice)).isEmpty();
  }

  @Test
  void spellingsOfOneIdentityAreOneKey() {
    RequestKey email = key("header:From|email");
    for (String spelling :
        List.of(
            "alice@example.com",
            " Alice@Example.COM ",
            "alice @example.com",
            "ａlice@example.com",
            "al\u200Bice@example.com",
            "alice\t@example.com")) {
      assertThat(email.of(get().header("From", spelling)))
          .as(spelling)
          .hasValue("header:from:alice@example.com");
    }
    assertThat(email.of(get().header("From", "alice+1@example.com")))
        .hasValue("header:from:alice+1@example.com");
    assertThat(key("principal|lower").of(get().principal("ALICE"))).hasValue("user:alice");
    assertThat(key("principal").of(get().principal("ALICE"))).hasValue("user:ALICE");
    assertThat(key("principal").of(get().principal(" Cafe\u0301")))
        .isEqualTo(key("principal").of(get().principal("Caf\u00e9 ")));
  }

  private static String bearer(String payload) {
    String middle =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(payload.getBytes(StandardCharsets.UTF_8));
    return "Bearer eyJhbGciOiJub25lIn0." + middle + ".sig";
  }

  @Test
  void anUnverifiedTokenIsReadOnlyByItsLoudName() {
    SentRequest request =
        get().header("Authorization", bearer("{\"a\":{\"sub\":\"x\"},\"sub\":\"alice\",\"n\":7}"));
    assertThat(key("claim:sub").of(request)).isEmpty();
    assertThat(RequestKey.UNVERIFIED_jwtClaim("sub").of(request))
        .hasValue("UNVERIFIED-claim:sub:alice");
    assertThat(key("UNVERIFIED-jwt-claim:n").of(request)).hasValue("UNVERIFIED-claim:n:7");
    assertThat(key("UNVERIFIED-jwt-claim:a").of(request)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"sub\":\"a\",\"sub\":\"b\"}", "{\"sub\":null}", "{\"sub\":[\"a\"]}", "{\"sub\":\"a\"",
        "[]", "", "sub", "{\"sub\":\"\"}"
      })
  void aBrokenTokenHasNoClaims(String payload) {
    assertThat(key("UNVERIFIED-jwt-claim:sub").of(get().header("Authorization", bearer(payload))))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Basic YTpi", "Bearer x", "Bearer a.b", "Bearer a.*.c", "Bearer a.b.c.d"})
  void whatIsNoTokenHasNoClaims(String authorization) {
    assertThat(key("UNVERIFIED-jwt-claim:sub").of(get().header("Authorization", authorization)))
        .isEmpty();
  }

  @Test
  void differentPartsNeverMakeTheSameKey() {
    String[] values = {"", "a", "|", "\\", "a|", "|a", "\\|", "a\\", "|header:y:", "\uD800", "é"};
    RequestKey both = key("header:X + header:Y");
    Map<String, String> seen = new HashMap<>();
    for (String x : values) {
      for (String y : values) {
        if (x.isEmpty() || y.isEmpty()) {
          continue;
        }
        String made = both.of(get().header("X", x).header("Y", y)).orElseThrow();
        assertThat(seen.put(made, x + " and " + y)).as("%s, from %s and %s", made, x, y).isNull();
      }
    }
    assertThat(seen).hasSize(100);
    assertThat(both.of(get().header("X", "a").header("Y", "b"))).hasValue("header:x:a|header:y:b");
  }

  @Test
  void unknownWordsAreRefused() {
    String expected =
        "key must be address, principal, claim:NAME, UNVERIFIED-jwt-claim:NAME, header:NAME,"
            + " api-key, api-key:HEADER, cookie:NAME, route, method or everyone, got '%s'";
    for (String wrong : List.of("ip", "", "header", "header:", "address:x", "jwt-claim:sub")) {
      assertThatThrownBy(() -> key(wrong)).hasMessage(expected.formatted(wrong));
    }
    assertThatThrownBy(() -> key("api-key|email"))
        .hasMessage(
            "key 'api-key|email': only principal, claim and header take a normaliser, got 'email'");
    assertThatThrownBy(() -> key("principal|upper"))
        .hasMessage("normaliser must be one of text, lower, email, got 'upper'");
  }
}
