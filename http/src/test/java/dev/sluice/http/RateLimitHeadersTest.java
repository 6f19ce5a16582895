package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.CalendarUnit;
import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RateLimitHeadersTest {
  private final FakeClock clock = new FakeClock();
  private final Sluice sluice = Sluice.of(new InMemoryStore(clock, 1000));
  private final RateLimiter api =
      sluice.limiter(
          "api",
          Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20).name("burst"),
          Limit.slidingWindow(240, Duration.ofHours(1))
              .precision(Duration.ofMinutes(1))
              .name("hourly"));

  private static Map<String, String> headers(RateLimitHeaders headers, Decision decision) {
    Map<String, String> written = new LinkedHashMap<>();
    headers.write(decision, written::put);
    return written;
  }

  private static Map<String, String> headers(Dialect dialect, Decision decision) {
    return headers(RateLimitHeaders.of(dialect), decision);
  }

  private Decision exhausted() {
    api.tryAcquire("u", 20);
    return api.tryAcquire("u");
  }

  @Test
  void standardHeadersOfAnAllowedRequestAreIetfAndX() {
    assertThat(headers(RateLimitHeaders.standard(), api.tryAcquire("u")))
        .containsExactlyEntriesOf(
            ordered(
                "RateLimit-Policy", "\"burst\";q=20;w=2, \"hourly\";q=240;w=3600",
                "RateLimit", "\"burst\";r=19;t=1",
                "X-RateLimit-Limit", "20",
                "X-RateLimit-Remaining", "19",
                "X-RateLimit-Reset", "1"));
  }

  @Test
  void standardHeadersOfADenialTellWhenToComeBack() {
    assertThat(headers(RateLimitHeaders.standard(), exhausted()))
        .containsExactlyEntriesOf(
            ordered(
                "RateLimit-Policy", "\"burst\";q=20;w=2, \"hourly\";q=240;w=3600",
                "RateLimit", "\"burst\";r=0;t=1",
                "X-RateLimit-Limit", "20",
                "X-RateLimit-Remaining", "0",
                "X-RateLimit-Reset", "2",
                "Retry-After", "1"));
  }

  @Test
  void olderDraftsHaveTheirOwnForms() {
    assertThat(headers(Dialect.IETF_06, exhausted()))
        .containsExactlyEntriesOf(
            ordered(
                "RateLimit-Policy", "20;w=2, 240;w=3600",
                "RateLimit-Limit", "20",
                "RateLimit-Remaining", "0",
                "RateLimit-Reset", "1",
                "Retry-After", "1"));
    assertThat(headers(Dialect.IETF_07, api.tryAcquire("other")))
        .containsExactlyEntriesOf(
            ordered(
                "RateLimit-Policy", "20;w=2, 240;w=3600",
                "RateLimit", "limit=20, remaining=19, reset=1"));
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void noLocaleChangesAHeaderOrABody(Dialect dialect) {
    Decision denied = exhausted();
    Decision never = api.tryAcquire("u", 1_000);
    RateLimitHeaders headers = RateLimitHeaders.of(dialect).clock(() -> Instant.EPOCH);
    Map<String, String> written = headers(headers, denied);
    List<String> bodies = bodies(denied, never);
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(headers(headers, denied)).isEqualTo(written);
      assertThat(bodies(denied, never)).isEqualTo(bodies);
    } finally {
      Locale.setDefault(before);
    }
  }

  private static List<String> bodies(Decision... denied) {
    return Stream.of(denied)
        .map(decision -> new String(Problem.denied(decision).json(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void githubCountsResetsInUnixTime() {
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    RateLimitHeaders github = RateLimitHeaders.of(Dialect.GITHUB).clock(() -> now);
    assertThat(headers(github, api.tryAcquire("u", 5)))
        .containsExactlyEntriesOf(
            ordered(
                "X-RateLimit-Limit", "20",
                "X-RateLimit-Remaining", "15",
                "X-RateLimit-Used", "5",
                "X-RateLimit-Reset", Long.toString(now.getEpochSecond() + 1),
                "X-RateLimit-Resource", "api"));
  }

  @Test
  void githubResourceIsAsciiWhateverThePolicyIsCalled() {
    Decision decision = sluice.limiter("100% café", Limit.parse("1/s")).tryAcquire("u");
    assertThat(headers(Dialect.GITHUB, decision))
        .containsEntry("X-RateLimit-Resource", "100%25 caf%C3%A9");
  }

  @Test
  void noneWritesRetryAfterOnly() {
    assertThat(headers(Dialect.NONE, api.tryAcquire("other"))).isEmpty();
    assertThat(headers(Dialect.NONE, exhausted()))
        .containsExactlyEntriesOf(Map.of("Retry-After", "1"));
  }

  @Test
  void waitsAreWholeSecondsRoundedUp() {
    RateLimiter slow = sluice.limiter("slow", Limit.tokenBucket(2, Duration.ofSeconds(5)));
    slow.tryAcquire("u", 2);
    clock.advanceMicros(499_999);
    assertThat(headers(Dialect.IETF, slow.tryAcquire("u"))).containsEntry("Retry-After", "3");
    clock.advanceMicros(1);
    assertThat(headers(Dialect.IETF, slow.tryAcquire("u")))
        .containsEntry("Retry-After", "2")
        .containsEntry("RateLimit", "\"token-bucket\";r=0;t=2")
        .containsEntry("RateLimit-Policy", "\"token-bucket\";q=2;w=5");
  }

  @Test
  void whatCanNeverPassHasNoTimeToRetry() {
    assertThat(headers(RateLimitHeaders.standard(), api.tryAcquire("u", 21)))
        .containsEntry("RateLimit", "\"burst\";r=20")
        .doesNotContainKey("Retry-After");
  }

  @Test
  void unlimitedAndRefusedKeysHaveNoHeaders() {
    RateLimiter limiter =
        sluice.limiter(
            Policy.named("exceptions")
                .limits(List.of(Limit.parse("1/s")))
                .key(KeyRule.unlimited("vip"))
                .key(KeyRule.deny("bad"))
                .build());
    assertThat(headers(RateLimitHeaders.standard(), limiter.tryAcquire("vip"))).isEmpty();
    assertThat(headers(RateLimitHeaders.standard(), limiter.tryAcquire("bad"))).isEmpty();
  }

  @Test
  void concurrencyIsCountedInRequestsAtOnceAndHasNoWindow() {
    RateLimiter limiter = sluice.limiter("jobs", Limit.concurrency(3).name("jobs"));
    assertThat(headers(Dialect.IETF, limiter.tryAcquire("u")))
        .containsEntry("RateLimit-Policy", "\"jobs\";q=3;qu=\"concurrent-requests\"");
    assertThat(headers(Dialect.IETF_06, limiter.tryAcquire("u")))
        .containsEntry("RateLimit-Policy", "3");
  }

  @Test
  void calendarWindowsAreToldInWholeDays() {
    ZoneId paris = ZoneId.of("Europe/Paris");
    RateLimiter limiter =
        sluice.limiter(
            "quota",
            Limit.calendarWindow(5, CalendarUnit.WEEK, paris).name("week"),
            Limit.calendarWindow(9, CalendarUnit.MONTH, paris).name("month"));
    assertThat(headers(Dialect.IETF, limiter.tryAcquire("u")))
        .containsEntry("RateLimit-Policy", "\"week\";q=5;w=604800, \"month\";q=9;w=2678400");
    assertThat(headers(Dialect.IETF_07, limiter.tryAcquire("u")))
        .containsEntry("RateLimit-Policy", "5;w=604800, 9;w=2678400");
  }

  @Test
  void namesAreEscaped() {
    RateLimiter limiter = sluice.limiter("odd", Limit.parse("1/s").name("a\"b\\c"));
    assertThat(headers(Dialect.IETF, limiter.tryAcquire("u")))
        .containsEntry("RateLimit", "\"a\\\"b\\\\c\";r=0;t=1");
  }

  @Test
  void jitterOnlyLengthensTheWait() {
    RateLimitHeaders jittered = RateLimitHeaders.standard().jitter(Duration.ofSeconds(9));
    Decision denied = exhausted();
    assertThat(java.util.stream.IntStream.range(0, 1_000).mapToObj(i -> headers(jittered, denied)))
        .allSatisfy(
            written -> {
              assertThat(Integer.parseInt(written.get("Retry-After"))).isBetween(1, 10);
              assertThat(written.get("RateLimit"))
                  .isEqualTo("\"burst\";r=0;t=" + written.get("Retry-After"));
            })
        .extracting(written -> written.get("Retry-After"))
        .contains("2", "9");
  }

  @Test
  void checksDecidedTogetherShowTheOneThatBinds() {
    sluice.limiter("address", Limit.parse("100/s"));
    exhausted();
    List<Decision> decisions =
        sluice.tryAcquireTogether(List.of(new Check("address", "ip"), new Check("api", "u")));
    Map<String, String> written = new LinkedHashMap<>();
    RateLimitHeaders.standard().write(decisions, written::put);
    assertThat(written).containsEntry("RateLimit", "\"burst\";r=0;t=1");
  }

  @Test
  void contradictingDialectsAreRefused() {
    assertThatThrownBy(() -> RateLimitHeaders.of(Dialect.IETF, Dialect.IETF_07))
        .hasMessage("dialects 'ietf' and 'ietf-07': cannot be written side by side");
    assertThatThrownBy(() -> RateLimitHeaders.of(Dialect.X, Dialect.GITHUB))
        .hasMessage("dialects 'x' and 'github': cannot be written side by side");
    assertThatThrownBy(() -> RateLimitHeaders.of(Dialect.NONE, Dialect.X))
        .hasMessage("dialects 'none' and 'x': cannot be written side by side");
    assertThatThrownBy(RateLimitHeaders::of)
        .hasMessage("dialects must not be empty; use none to write none");
    assertThatThrownBy(() -> Dialect.parse("draft-8"))
        .hasMessage(
            "dialect must be one of ietf, ietf-06, ietf-07, x, github, none, got 'draft-8'");
    assertThat(Dialect.parse(" IETF ")).isEqualTo(Dialect.IETF);
    assertThatThrownBy(() -> RateLimitHeaders.standard().jitter(Duration.ofSeconds(-1)))
        .hasMessage("jitter must be from 0 to 1 day, got PT-1S");
  }

  private static Map<String, String> ordered(String... pairs) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }
}
