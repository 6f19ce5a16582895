package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Headers that a fuzzer writes. In the normal build every input of the kept corpus is run once; to
 * look for new ones, one test at a time:
 *
 * <pre>
 * JAZZER_FUZZ=1 mvn -pl http -am test -Dfuzz.hooks=true -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dtest='ClientAddressFuzzTest#everyKeyIsAnAddress'
 * </pre>
 *
 * <p>The corpus holds no two inputs that take the same branches. It is kept small by the fuzzer
 * itself, on the class path of these tests:
 *
 * <pre>
 * java com.code_intelligence.jazzer.Jazzer --target_class=dev.sluice.http.ClientAddressFuzzTest \
 *     --target_method=everyKeyIsAnAddress --instrumentation_includes='dev.sluice.http.**' \
 *     -merge=1 -use_counters=0 SMALL FOUND…
 * </pre>
 */
class ClientAddressFuzzTest {
  private static final ClientAddress BEHIND_PROXY = ClientAddress.trusting("10.0.0.0/8", "::1");

  /** Whatever a client writes, the address that its proxy saw is its key. */
  @FuzzTest(maxDuration = "10m")
  void aClientBehindAProxyKeepsItsKey(FuzzedDataProvider data) {
    boolean ownLine = data.consumeBoolean();
    String written = data.consumeRemainingAsString();
    for (ClientAddress.Header header : ClientAddress.Header.values()) {
      boolean forwarded = header == ClientAddress.Header.FORWARDED;
      String name = forwarded ? "Forwarded" : "X-Forwarded-For";
      String seen = forwarded ? "for=\"203.0.113.7:80\";proto=https" : "203.0.113.7";
      SentRequest request = SentRequest.from("10.0.0.1");
      if (ownLine) {
        request.header(name, written).header(name, seen);
      } else {
        request.header(name, written + ", " + seen);
      }
      assertThat(BEHIND_PROXY.header(header).of(request)).hasValue("203.0.113.7");
    }
  }

  /** A header that no proxy has touched: some key, in one of three spellings, and no exception. */
  @FuzzTest(maxDuration = "10m")
  void everyKeyIsAnAddress(FuzzedDataProvider data) {
    String peer = data.consumeString(60);
    String written = data.consumeRemainingAsString();
    for (ClientAddress.Header header : ClientAddress.Header.values()) {
      for (String from : new String[] {peer, "10.0.0.1"}) {
        SentRequest request =
            SentRequest.from(from).header("X-Forwarded-For", written).header("Forwarded", written);
        BEHIND_PROXY
            .header(header)
            .of(request)
            .ifPresent(
                key -> {
                  assertThat(key).matches("[0-9.]{7,15}|[0-9a-f:]{2,39}/64");
                  String literal = key.replace("/64", "");
                  assertThat(ClientAddress.ofPeer().of(SentRequest.from(literal))).hasValue(key);
                });
      }
    }
  }

  /** Rules and keys never throw, whatever a request looks like. */
  @FuzzTest(maxDuration = "10m")
  void noRequestBreaksAKeyOrARule(FuzzedDataProvider data) {
    SentRequest request =
        SentRequest.of(data.consumeString(10), data.consumeString(100))
            .address(data.consumeString(40))
            .principal(data.consumeString(40))
            .header("Cookie", data.consumeString(100))
            .header("X-Api-Key", data.consumeString(100))
            .header("Authorization", data.consumeRemainingAsString());
    for (String key :
        new String[] {
          "address",
          "principal|email",
          "header:X-Api-Key|lower",
          "api-key",
          "cookie:a",
          "route",
          "UNVERIFIED-jwt-claim:sub",
          "method + everyone"
        }) {
      RequestKey.parse(key, BEHIND_PROXY)
          .of(request)
          .ifPresent(text -> assertThat(text).isNotEmpty());
    }
    LimitRules rules =
        LimitRules.of(LimitRule.path("/a/{id}/*.x/**").check("p", RequestKey.everyone()));
    assertThat(rules.match(request).map(LimitRule::pattern).orElse("/a/{id}/*.x/**"))
        .isEqualTo("/a/{id}/*.x/**");
  }

  /** A provider's headers never break its client. */
  @FuzzTest(maxDuration = "10m")
  void noResponseBreaksItsReader(FuzzedDataProvider data) {
    String written = data.consumeRemainingAsString();
    ReceivedLimits received =
        RateLimitHeaders.parse(
            name -> java.util.List.of(written), java.time.Instant.parse("2026-01-01T00:00:00Z"));
    received.pause().ifPresent(pause -> assertThat(pause.isNegative()).isFalse());
    received.remaining().ifPresent(left -> assertThat(left).isNotNegative());
  }
}
