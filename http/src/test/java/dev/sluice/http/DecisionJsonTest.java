package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.CalendarUnit;
import dev.sluice.Check;
import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionJsonTest {
  private final FakeClock clock = new FakeClock();
  private final Sluice sluice = Sluice.of(new InMemoryStore(clock, 1000));
  private final RateLimiter api =
      sluice.limiter("api", Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20).name("burst"));

  private static String text(byte[] json) {
    return new String(json, StandardCharsets.UTF_8);
  }

  @Test
  void anAllowedDecisionHasTheMembersOfTheContract() {
    assertThat(text(DecisionJson.bytes(api.tryAcquire("user:42"))))
        .isEqualTo(
            "{\"allowed\":true,\"policy\":\"api\",\"key\":\"user:42\",\"cost\":1,"
                + "\"binding\":\"burst\",\"remaining\":19,\"retryAfterMillis\":0,"
                + "\"resetAfterMillis\":100,\"waitMillis\":0,\"degraded\":false,\"shadow\":false,"
                + "\"limits\":[{\"name\":\"burst\",\"algorithm\":\"token-bucket\",\"allowed\":true,"
                + "\"permits\":10,\"perMillis\":1000,\"capacity\":20,\"remaining\":19,"
                + "\"retryAfterMillis\":0,\"resetAfterMillis\":100}]}");
  }

  @Test
  void aCalendarWindowHasAPeriodOfWholeDays() {
    RateLimiter limiter =
        sluice.limiter("quota", Limit.calendarWindow(5, CalendarUnit.WEEK, ZoneOffset.UTC));
    assertThat(text(DecisionJson.bytes(limiter.tryAcquire("u"))))
        .contains("\"permits\":5,\"perMillis\":604800000,\"capacity\":5,");
  }

  @Test
  void aDenialIsAProblemWithTheSameMembers() {
    api.tryAcquire("u", 20);
    clock.advanceMicros(1);
    Problem problem = Problem.denied(api.tryAcquire("u"));
    assertThat(problem.status()).isEqualTo(429);
    assertThat(text(problem.json()))
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Quota exceeded\",\"status\":429,\"detail\":\"limit 'burst' has 0 of"
                + " 20 left, too few for a cost of 1; retry in 100 ms\","
                + "\"violated-policies\":[\"burst\"],"
                + "\"allowed\":false,\"policy\":\"api\",\"key\":\"u\",\"cost\":1,"
                + "\"binding\":\"burst\",\"remaining\":0,\"retryAfterMillis\":100,"
                + "\"resetAfterMillis\":2000,\"waitMillis\":0,\"degraded\":false,\"shadow\":false,"
                + "\"limits\":[{\"name\":\"burst\",\"algorithm\":\"token-bucket\","
                + "\"allowed\":false,\"permits\":10,\"perMillis\":1000,\"capacity\":20,"
                + "\"remaining\":0,\"retryAfterMillis\":100,\"resetAfterMillis\":2000}]}");
    assertThat(text(problem.status(403).json())).contains("\"status\":403,");
  }

  @Test
  void whatCanNeverPassHasNullForItsRetry() {
    Problem problem = Problem.denied(api.tryAcquire("u", 21));
    assertThat(problem.detail())
        .isEqualTo("a cost of 21 can never pass limit 'burst' with a capacity of 20");
    assertThat(text(problem.json())).contains("\"remaining\":20,\"retryAfterMillis\":null,");
  }

  @Test
  void aRefusedKeyNamesItsPolicyAndHasNoLimits() {
    RateLimiter limiter =
        sluice.limiter(
            Policy.named("strict")
                .limits(List.of(Limit.parse("1/s")))
                .key(KeyRule.deny("bad"))
                .build());
    assertThat(text(Problem.denied(limiter.tryAcquire("bad")).json()))
        .contains("\"detail\":\"this key is refused\",\"violated-policies\":[\"strict\"]")
        .contains("\"binding\":null,\"remaining\":0,\"retryAfterMillis\":null")
        .endsWith("\"limits\":[]}");
  }

  @Test
  void forcedAndLeaseAreThereOnlyWhenTheyMeanSomething() {
    api.tryAcquire("u", 20);
    assertThat(text(DecisionJson.bytes(api.force("u", 1))))
        .contains("\"shadow\":false,\"forced\":true,\"limits\"");
    RateLimiter jobs = sluice.limiter("jobs", Limit.concurrency(1));
    assertThat(text(DecisionJson.bytes(jobs.tryAcquire("u")))).contains("\"lease\":\"");
    assertThat(text(DecisionJson.bytes(jobs.tryAcquire("u")))).doesNotContain("\"lease\"");
  }

  @Test
  void anyKeyIsWrittenAsItWasGiven() {
    assertThat(text(DecisionJson.bytes(api.peek("\"é\u0000\uD83D\uDE00\uD800"))))
        .contains("\"key\":\"\\\"\\u00E9\\u0000\\uD83D\\uDE00\\uD800\",");
  }

  @Test
  void checksDecidedTogetherStandInOrder() {
    sluice.limiter("login", Limit.slidingLog(1, Duration.ofMinutes(1)));
    List<Check> checks = List.of(new Check("api", "ip"), new Check("login", "u"));
    assertThat(text(DecisionJson.bytes(sluice.tryAcquireTogether(checks))))
        .startsWith("{\"allowed\":true,\"checks\":[{\"allowed\":true,\"policy\":\"api\"")
        .contains("},{\"allowed\":true,\"policy\":\"login\"");
    Problem problem = Problem.denied(sluice.tryAcquireTogether(checks));
    assertThat(text(problem.json()))
        .contains("\"violated-policies\":[\"sliding-log\"],\"allowed\":false,\"checks\":[{");
  }

  @Test
  void aClientLearnsNeitherKeyNorPolicy() {
    api.tryAcquire("secret", 20);
    Problem problem = Problem.deniedToClient(List.of(api.tryAcquire("secret")));
    assertThat(text(problem.json()))
        .contains("\"violated-policies\":[\"burst\"],\"allowed\":false,\"cost\":1,")
        .doesNotContain("secret")
        .doesNotContain("\"api\"");
  }

  @Test
  void aClientWhoseKeyIsRefusedLearnsNoMore() {
    RateLimiter limiter =
        sluice.limiter(
            Policy.named("blocklist")
                .limits(List.of(Limit.parse("1/s")))
                .key(KeyRule.deny("bad"))
                .build());
    Problem problem = Problem.deniedToClient(List.of(limiter.tryAcquire("bad")));
    assertThat(text(problem.json()))
        .contains("\"detail\":\"this key is refused\",\"violated-policies\":[],")
        .doesNotContain("blocklist")
        .doesNotContain("\"bad\"");
  }

  @Test
  void otherProblemsSayWhatIsWrong() {
    assertThat(text(Problem.badRequest("cost must be at least 1, got 0").json()))
        .isEqualTo(
            "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
                + "\"detail\":\"cost must be at least 1, got 0\"}");
    assertThat(Problem.notFound("unknown policy 'x'"))
        .hasToString("404 Not Found: unknown policy 'x'");
    assertThat(text(Problem.storeUnavailable().json()))
        .isEqualTo(
            "{\"type\":\"https://iana.org/assignments/http-problem-types"
                + "#temporary-reduced-capacity\",\"title\":\"Temporarily reduced capacity\","
                + "\"status\":503,"
                + "\"detail\":\"the limit could not be checked; try again later\"}");
  }
}
