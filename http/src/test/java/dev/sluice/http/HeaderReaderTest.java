package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.http.ReceivedLimits.ReceivedLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderReaderTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static ReceivedLimits read(String... lines) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : lines) {
      String[] parts = line.split(": ?", 2);
      headers.computeIfAbsent(parts[0], n -> new ArrayList<>()).add(parts[1]);
    }
    return RateLimitHeaders.parse(name -> headers.getOrDefault(name, List.of()), NOW);
  }

  private static Optional<Duration> seconds(long seconds) {
    return Optional.of(Duration.ofSeconds(seconds));
  }

  @Test
  void ietfLimitsAreJoinedWithTheirPoliciesByName() {
    ReceivedLimits received =
        read(
            "RateLimit-Policy: \"burst\";q=100;w=60, \"daily\";q=1000;w=86400;acme-x=@5",
            "RateLimit: \"burst\";r=50;t=30",
            "RateLimit: \"daily\";r=7;t=3600;pk=:cHJv:");
    assertThat(received.limits())
        .containsExactly(
            new ReceivedLimit(
                "burst", OptionalLong.of(100), seconds(60), OptionalLong.of(50), seconds(30)),
            new ReceivedLimit(
                "daily",
                OptionalLong.of(1000),
                seconds(86_400),
                OptionalLong.of(7),
                seconds(3600)));
    assertThat(received.remaining()).hasValue(7);
    assertThat(received.reset()).isEqualTo(seconds(3600));
    assertThat(received.pause()).isEmpty();
  }

  @Test
  void anExhaustedLimitAsksForAPauseUntilItsReset() {
    assertThat(read("RateLimit: \"a\";r=0;t=5, \"b\";r=0;t=9, \"c\";r=3;t=99").pause())
        .isEqualTo(seconds(9));
    assertThat(read("RateLimit: \"a\";r=0;t=5", "Retry-After: 30").pause()).isEqualTo(seconds(30));
  }

  @Test
  void olderDraftsAreRead() {
    assertThat(read("RateLimit: limit=100, remaining=50, reset=5").limits())
        .containsExactly(
            new ReceivedLimit(
                "", OptionalLong.of(100), Optional.empty(), OptionalLong.of(50), seconds(5)));
    assertThat(
            read("RateLimit-Limit: 100, 100;w=60", "RateLimit-Remaining: 0", "RateLimit-Reset: 5")
                .limits())
        .containsExactly(
            new ReceivedLimit(
                "", OptionalLong.of(100), Optional.empty(), OptionalLong.of(0), seconds(5)));
  }

  @Test
  void resetsOfXHeadersAreSecondsOrUnixTimesOrDates() {
    String left = "X-RateLimit-Remaining: 0";
    assertThat(read(left, "X-RateLimit-Reset: 12").reset()).isEqualTo(seconds(12));
    assertThat(read(left, "X-RateLimit-Reset: 12.5").reset()).hasValue(Duration.ofMillis(12_500));
    long later = NOW.getEpochSecond() + 90;
    assertThat(read(left, "X-RateLimit-Reset: " + later).reset()).isEqualTo(seconds(90));
    assertThat(read(left, "X-RateLimit-Reset: " + later + "000").reset()).isEqualTo(seconds(90));
    assertThat(read(left, "X-RateLimit-Reset: 1500000000").reset()).isEqualTo(seconds(0));
    assertThat(read(left, "X-RateLimit-Reset: 2026-01-01T00:01:00Z").reset())
        .isEqualTo(seconds(60));
    assertThat(read(left, "X-RateLimit-Reset: 2026-01-01T02:01:00+02:00").reset())
        .isEqualTo(seconds(60));
    assertThat(read(left, "X-RateLimit-Reset: soon").reset()).isEmpty();
    assertThat(
            read(
                    "x-ratelimit-limit: 10, 10;w=1;name=\"per-ip\", 1000;w=3600",
                    "x-ratelimit-remaining: 3")
                .limits()
                .get(0)
                .quota())
        .hasValue(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "60",
        " 60 ",
        "Thu, 01 Jan 2026 00:01:00 GMT",
        "Thursday, 01-Jan-26 00:01:00 GMT",
        "Thu Jan  1 00:01:00 2026"
      })
  void retryAfterIsSecondsOrADateInAnyOfItsForms(String text) {
    assertThat(read("Retry-After:" + text).retryAfter()).isEqualTo(seconds(60));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "soon", "1e9", "0x10", "Thu, 32 Jan 2026 00:01:00 GMT", "١"})
  void anUnreadableRetryAfterIsNotSaid(String text) {
    assertThat(read("Retry-After:" + text).retryAfter()).isEmpty();
  }

  @Test
  void absurdTimesAreCapped() {
    Duration longest = Duration.ofDays(36_525);
    assertThat(read("Retry-After: 999999999999999999").retryAfter()).hasValue(longest);
    assertThat(read("RateLimit: \"a\";r=0;t=999999999999999").reset()).hasValue(longest);
    assertThat(read("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 999999999999999999").reset())
        .hasValue(longest);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "RateLimit: \"a\"",
        "RateLimit: \"a\";r=-1",
        "RateLimit: a;r=1",
        "RateLimit: \"a\";r=1,",
        "RateLimit: remaining=x",
        "RateLimit-Remaining: many",
        "X-RateLimit-Remaining: -1",
        "X-Other: 1"
      })
  void whatCannotBeReadIsNotSaid(String line) {
    assertThat(read(line)).isEqualTo(new ReceivedLimits(List.of(), Optional.empty()));
  }

  @ParameterizedTest
  @EnumSource(
      value = Dialect.class,
      names = {"IETF", "IETF_06", "IETF_07", "X", "GITHUB"})
  void whatIsWrittenIsRead(Dialect dialect) {
    dev.sluice.Decision decision =
        dev.sluice.Sluice.inMemory()
            .limiter("api", dev.sluice.Limit.parse("10/s burst 20"))
            .tryAcquire("u", 3);
    List<String> lines = new ArrayList<>();
    RateLimitHeaders.of(dialect)
        .clock(() -> NOW)
        .write(decision, (name, value) -> lines.add(name + ": " + value));
    ReceivedLimits received = read(lines.toArray(String[]::new));
    assertThat(received.remaining()).hasValue(17);
    assertThat(received.limits().get(0).quota()).hasValue(20);
    assertThat(received.reset()).isEqualTo(seconds(1));
  }
}
