package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.Policy;
import dev.sluice.Sluice;
import java.net.http.HttpResponse;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** {@code /v1/checks}: several at once. */
class ChecksTest extends ThreePolicies {
  @Test
  void togetherChargesAllOrNothing() {
    String both =
        """
        {"together":true,"checks":[{"policy":"a","key":"k"},{"policy":"b","key":"k","cost":2}]}\
        """;
    HttpResponse<String> first = caller.post("/v1/checks", both);
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(Doc.of(first)).containsEntry("allowed", true);
    assertThat(Doc.list(Doc.of(first), "checks"))
        .extracting(check -> check.get("policy"))
        .containsExactly("a", "b");
    HttpResponse<String> second = caller.post("/v1/checks", both);
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.headers().firstValue("retry-after")).isPresent();
    Map<String, Object> problem = Doc.of(second);
    assertThat(problem)
        .containsEntry("allowed", false)
        .containsEntry("violated-policies", List.of("three"));
    assertThat(Doc.list(problem, "checks"))
        .extracting(check -> check.get("allowed"))
        .containsExactly(true, false);
    assertThat(left("a", "k")).isEqualTo(1);
  }

  @Test
  void checksOnTheirOwnAlwaysAnswer200() {
    String three =
        """
        {"checks":[{"policy":"a","key":"k"},{"policy":"a","key":"k"},{"policy":"a","key":"k"}]}\
        """;
    HttpResponse<String> response = caller.post("/v1/checks", three);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(Doc.of(response)).containsEntry("allowed", false);
    assertThat(Doc.list(Doc.of(response), "checks"))
        .extracting(check -> check.get("allowed"))
        .containsExactly(true, true, false);
  }

  @Test
  void noLocaleChangesAProblem() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      MistakesTest.assertProblem(
          caller.post("/v1/checks", "{\"checks\":[{\"policy\":\"a\",\"key\":\"k\",\"cost\":0}]}"),
          400,
          "member 'checks[0].cost': must be from 1 to 1099511627776, got 0");
      MistakesTest.assertProblem(
          caller.post("/v1/checks", "{\"checks\":[{\"policy\":\"a\"}]}"),
          400,
          "member 'checks[0].key': is missing");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void badBatchChargesNothing() {
    String bad =
        """
        {"checks":[{"policy":"a","key":"k"},{"policy":"a","key":"k","cost":0}]}\
        """;
    MistakesTest.assertProblem(
        caller.post("/v1/checks", bad),
        400,
        "member 'checks[1].cost': must be from 1 to 1099511627776, got 0");
    String unknown =
        """
        {"checks":[{"policy":"a","key":"k"},{"policy":"zz","key":"k"}]}\
        """;
    MistakesTest.assertProblem(caller.post("/v1/checks", unknown), 404, "no policy 'zz'");
    MistakesTest.assertProblem(
        caller.post("/v1/checks", "{\"checks\":[]}"),
        400,
        "member 'checks': must have from 1 to 100 items, got 0");
    String many = String.join(",", Collections.nCopies(101, "{\"policy\":\"b\",\"key\":\"k\"}"));
    MistakesTest.assertProblem(
        caller.post("/v1/checks", "{\"checks\":[%s]}".formatted(many)),
        400,
        "member 'checks': must have from 1 to 100 items, got 101");
    assertThat(left("a", "k")).isEqualTo(2);
    assertThat(left("b", "k")).isEqualTo(3);
  }

  /** Else the caller would hear that nothing was charged. */
  @Test
  void policyThatGoesWhileItsBatchIsDecidedStillDecides() {
    Sluice sluice = caller.server().context().sluice();
    List<Policy> onlyA = List.of(sluice.limiter("a").orElseThrow().policy());
    sluice.listener((policy, decision, nanos) -> sluice.policies(onlyA));
    String both =
        """
        {"checks":[{"policy":"a","key":"k"},{"policy":"b","key":"k"}]}\
        """;
    HttpResponse<String> response = caller.post("/v1/checks", both);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(Doc.list(Doc.of(response), "checks"))
        .extracting(check -> check.get("policy"), check -> check.get("allowed"))
        .containsExactly(tuple("a", true), tuple("b", true));
    MistakesTest.assertProblem(caller.post("/v1/checks", both), 404, "no policy 'b'");
    assertThat(left("a", "k")).isEqualTo(1);
  }

  /** That it is gone is told as 404; what is left of the race is never the caller's mistake. */
  @Test
  void policyThatGoesBeforeItsBatchIsDecidedTogetherIsNoMistake() throws InterruptedException {
    Sluice sluice = caller.server().context().sluice();
    Policy a = sluice.limiter("a").orElseThrow().policy();
    Policy b = sluice.limiter("b").orElseThrow().policy();
    AtomicBoolean stopped = new AtomicBoolean();
    Thread reloads =
        new Thread(
            () -> {
              while (!stopped.get()) {
                sluice.policies(List.of(a));
                sluice.policies(List.of(a, b));
              }
            });
    reloads.start();
    String many = String.join(",", Collections.nCopies(100, "{\"policy\":\"b\",\"key\":\"k\"}"));
    try {
      for (int i = 0; i < 500; i++) {
        HttpResponse<String> response =
            caller.post("/v1/checks", "{\"together\":true,\"checks\":[%s]}".formatted(many));
        assertThat(response.statusCode()).as(response.body()).isIn(404, 429);
      }
    } finally {
      stopped.set(true);
      reloads.join();
    }
  }
}
