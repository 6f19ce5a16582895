package dev.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.Algorithm;
import dev.sluice.CalendarUnit;
import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyFileTest {
  @TempDir Path directory;

  private PolicyFile read(String text) throws IOException {
    Path file = directory.resolve("policies.yml");
    Files.writeString(file, text);
    return PolicyFile.read(file);
  }

  private List<String> problems(String text) {
    PolicyFileException wrong = catchThrowableOfType(PolicyFileException.class, () -> read(text));
    assertThat(wrong).isNotNull();
    return wrong.problems().stream().map(problem -> problem.in("policies.yml")).toList();
  }

  @Test
  void everyWordOfAPolicyIsRead() throws IOException {
    PolicyFile file =
        read(
            """
            store: redis://localhost:6379
            policies:
              api:
                limits:
                  - {name: burst,  algorithm: token-bucket,   permits: 10,  per: 1s, burst: 20}
                  - {name: hourly, algorithm: sliding-window, permits: 240, per: 1h, precision: 1m}
                on-store-failure: local
                nodes: 4
                deadline: 50ms
                shadow: true
                tier: leased
                max-leased: 5
                keys:
                  "plan:pro:*": {limits: [{name: burst, algorithm: gcra, permits: 100, per: 1s}]}
                  "user:blocked": {deny: true}
                  "ip:10.0.0.*": {unlimited: true}
              payments-pg1:
                limits: [{algorithm: sliding-log, permits: 100, per: 1s}]
            """);
    assertThat(file.store()).hasValue("redis://localhost:6379");
    Policy api = file.policies().get(0);
    assertThat(api.limits())
        .containsExactly(
            Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20).name("burst"),
            Limit.slidingWindow(240, Duration.ofHours(1))
                .precision(Duration.ofMinutes(1))
                .name("hourly"));
    assertThat(api.onStoreFailure()).isEqualTo(OnStoreFailure.LOCAL);
    assertThat(api.nodes()).isEqualTo(4);
    assertThat(api.deadline()).hasValue(Duration.ofMillis(50));
    assertThat(api.shadow()).isTrue();
    assertThat(api.tier()).isEqualTo(Tier.LEASED);
    assertThat(api.maxLeased()).isEqualTo(5);
    assertThat(api.keys())
        .extracting(KeyRule::kind)
        .containsExactly(KeyRule.Kind.LIMITS, KeyRule.Kind.DENY, KeyRule.Kind.UNLIMITED);
    assertThat(file.policies().get(1).name()).isEqualTo("payments-pg1");
  }

  @Test
  void everyWordOfALimitIsRead() throws IOException {
    List<Limit> limits =
        read("""
        policies:
          all:
            limits:
              - {name: a, permits: 10, per: 250ms, burst: 20, initial: 5, refill: interval}
              - {name: b, algorithm: token-bucket, permits: 10, per: 5m, borrow: true}
              - {name: c, algorithm: fixed-window, permits: 9, per: 1d, align: first-request}
              - {name: d, algorithm: counter, permits: 9, per: 1h}
              - {name: e, algorithm: fixed-window, permits: 9, per: month, zone: Europe/Paris}
              - {name: f, algorithm: leaky-bucket, permits: 1, per: 1s, queue: 3}
              - {name: g, algorithm: concurrency, permits: 5, lease: 30s}
              - "240/h burst 20"
              - 10/s
        """)
            .policies()
            .get(0)
            .limits();
    assertThat(limits.get(0))
        .isEqualTo(
            Limit.tokenBucket(10, Duration.ofMillis(250))
                .burst(20)
                .initial(5)
                .refill(Limit.Refill.INTERVAL)
                .name("a"));
    assertThat(limits.get(1).borrows()).isTrue();
    assertThat(limits.get(2))
        .isEqualTo(
            Limit.fixedWindow(9, Duration.ofDays(1)).align(Limit.Align.FIRST_REQUEST).name("c"));
    assertThat(limits.get(3)).isEqualTo(Limit.counter(9, Duration.ofHours(1)).name("d"));
    assertThat(limits.get(4))
        .isEqualTo(
            Limit.calendarWindow(9, CalendarUnit.MONTH, ZoneId.of("Europe/Paris")).name("e"));
    assertThat(limits.get(5))
        .isEqualTo(Limit.leakyBucket(1, Duration.ofSeconds(1)).queue(3).name("f"));
    assertThat(limits.get(6))
        .isEqualTo(Limit.concurrency(5).lease(Duration.ofSeconds(30)).name("g"));
    assertThat(limits.get(7).capacity()).isEqualTo(20);
    assertThat(limits.get(8).algorithm()).isEqualTo(Algorithm.TOKEN_BUCKET);
  }

  @Test
  void everyProblemIsToldWithItsLine() {
    assertThat(
            problems(
                """
                stroe: memory
                policies:
                  api:
                    limits:
                      - {name: burst, algorithm: token-bucket, permits: 0, per: 1s}
                      - name: hourly
                        algorithm: sliding-windows
                        permits: 10
                        per: 1x
                      - {name: log, algorithm: sliding-log, permits: 10, per: 1s, burst: 5}
                    on-store-failure: panic
                    nodes: 0
                    shadow: maybe
                    shadow: false
                  other:
                    keys: {"a*": {deny: true, unlimited: true}}
                """))
        .containsExactly(
            "policies.yml:1: unknown key 'stroe', expected one of policies, store",
            "policies.yml:5: policy 'api', limit 'burst': permits must be from 1 to 1099511627776,"
                + " got 0",
            "policies.yml:7: policy 'api', limit 'hourly': algorithm must be one of token-bucket,"
                + " fixed-window, sliding-log, sliding-window, leaky-bucket, concurrency, gcra,"
                + " counter, got 'sliding-windows'",
            "policies.yml:9: policy 'api', limit 'hourly': per must be a duration such as 250ms,"
                + " 1s, 5m, 1h or 1d, got '1x'",
            "policies.yml:10: policy 'api', limit 'log': burst is for token-bucket, not for"
                + " sliding-log",
            "policies.yml:11: policy 'api': on-store-failure must be allow or deny or local, got"
                + " 'panic'",
            "policies.yml:12: policy 'api': nodes must be from 1 to 1000000, got 0",
            "policies.yml:13: policy 'api': shadow must be true or false, got 'maybe'",
            "policies.yml:14: key 'shadow' is there twice, first in line 13",
            "policies.yml:15: policy 'other': limits is missing",
            "policies.yml:16: policy 'other', key pattern 'a*': must have one of limits, deny: true"
                + " or unlimited: true");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {permits: 1}                                              | per is missing
          {per: 1s}                                                 | permits is missing
          {permits: ten, per: 1s}                                   | permits must be a whole number, got 'ten'
          {permits: 99999999999999999999, per: 1s}                  | permits must be from 1 to 1099511627776, got 99999999999999999999
          {permits: 1, per: 1s, burst: -99999999999999999999}       | burst must be at least 1, got -99999999999999999999
          {permits: [1], per: 1s}                                   | permits must be one value, got a list
          {permits: 1, per: 1s, brust: 2}                           | unknown key 'brust', expected one of algorithm, align, borrow, burst, initial, lease, name, per, permits, precision, queue, refill, zone
          {permits: 1, per: 5000d}                                  | per must be whole microseconds, from 1 microsecond to 3653 days, got PT120000H
          {permits: 1, per: 1s, initial: 2}                         | initial must be at most the burst of 1, got 2
          {permits: 1, per: 1s, refill: sometimes}                  | refill must be smooth or interval, got 'sometimes'
          {permits: 1, per: month}                                  | per: month is for fixed-window, not for token-bucket
          {permits: 1, per: 1s, zone: Europe/Paris}                 | zone needs per: day, week, month or year
          {algorithm: fixed-window, permits: 1, per: day, zone: Mars} | zone must be a time zone such as Europe/Paris, got 'Mars'
          {algorithm: sliding-window, permits: 1, per: 1m, precision: 7s} | precision must divide the period of 1m, got 7s
          {algorithm: concurrency, permits: 1, per: 1s}             | per is not for concurrency; use lease
          {permits: 1, per: 1s, lease: 1s}                          | lease is for concurrency, not for token-bucket
          """)
  void limitSaysWhatIsWrongWithIt(String limit, String problem) {
    String text = "policies: {p: {limits: [" + limit.replaceFirst("\\{", "{name: l, ") + "]}}";
    assertThat(problems(text)).containsExactly("policies.yml:1: policy 'p', limit 'l': " + problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          policies: {p: {limits: [10 per second]}}  | policy 'p': limit must look like '10/s' or '240/h burst 20', got '10 per second'
          policies: {p: {limits: []}}               | policy 'p': limits must not be empty
          policies: {cl.throttle: {limits: [10/s]}} | policy name must not be cl.throttle, where CL.THROTTLE has its keys
          {store: rediss//foo, policies: {}}        | store 'rediss//foo': no store on the path understands this address; redis needs sluice-redis
          {store: '', policies: {}}                 | store must be memory or an address such as redis://localhost:6379, got nothing
          {store: , policies: {}}                   | store must be memory or an address such as redis://localhost:6379, got nothing
          {store: 'redis://u:secret@h:x', policies: {}} | store address 'redis://…': port must be from 1 to 65535, got '…'
          policies: {p: {limits: [10/s], tier: leased, max-leased: 99999999999999999999}} | policy 'p': max-leased must be at most 9223372036854775807, got 99999999999999999999
          policies: {p: {limits: 10/s}}             | policy 'p': limits must be a list, got '10/s'
          policies: {p: 10/s}                       | policy 'p': must be a mapping with limits, got '10/s'
          policies: {a/b: {limits: [10/s]}}         | policy name must be 1 to 128 printable characters without '/', got 'a/b'
          policies: {p: {limits: [{name: a, permits: 1, per: 1s}, {name: a, permits: 2, per: 1s}]}} | policy 'p': limit names must differ, got 'a' twice
          policies: [a]                             | policies must be a mapping from names, got a list
          {store: memory}                           | a policies file must have the key 'policies'
          []                                        | a policies file must have the key 'policies'
          # nothing                                 | a policies file must have the key 'policies'
          policies: {p: {limits: [10/s], deadline: 0ms}} | policy 'p': deadline must be positive and at most 1 hour, got '0ms'
          policies: {p: {limits: [10/s], deadline: 110000d}} | policy 'p': deadline must be positive and at most 1 hour, got '110000d'
          policies: !!java.net.URL [x]              | tags are not supported, got 'tag:yaml.org,2002:java.net.URL'
          policies: &a {p: *a}                      | aliases are not supported, got '*a'
          policies: {? [a] : b}                     | a key must be text
          """)
  void fileSaysWhatIsWrongWithIt(String text, String problem) {
    assertThat(problems(text)).containsExactly("policies.yml:1: " + problem);
  }

  @Test
  void limitsAreNumberedAsTheyStandInTheFile() {
    assertThat(
            problems(
                "policies: {p: {limits: [{permits: 0, per: 1s}, 10/s, {permits: 0, per: 1s}]}}"))
        .containsExactly(
            "policies.yml:1: policy 'p', limit '#1': permits must be from 1 to 1099511627776, got 0",
            "policies.yml:1: policy 'p', limit '#3': permits must be from 1 to 1099511627776, got 0");
  }

  @Test
  void everyKindOfStoreIsRead() throws IOException {
    for (String store :
        List.of(
            "memory",
            "redis://user:password@host:1/2",
            "rediss://host",
            "redis-sentinel://a:1,b:2/main",
            "redis-cluster://a:1,b:2")) {
      assertThat(read("store: " + store + "\npolicies: {p: {limits: [10/s]}}\n").store())
          .hasValue(store);
    }
  }

  @Test
  void brokenYamlIsToldWithItsLine() {
    assertThat(problems("policies:\n  api: {limits: [\n")).hasSize(1);
    assertThat(problems("policies:\n  api: {limits: [\n").get(0))
        .startsWith("policies.yml:3: not YAML: ");
    assertThat(problems("policies: {}\n---\npolicies: {}\n"))
        .containsExactly("policies.yml:3: a second document: only one is read");
  }

  @Test
  void missingFileIsUnreadable() {
    PolicyFileException absent =
        catchThrowableOfType(
            PolicyFileException.class, () -> PolicyFile.read(directory.resolve("absent.yml")));
    assertThat(absent).hasMessage(directory.resolve("absent.yml") + ": no such file");
    assertThat(absent.unreadable()).isTrue();
    assertThatThrownBy(() -> PolicyFile.read(directory)).hasMessage(directory + ": is a directory");
  }

  @Test
  void wordsCanComeFromMemoryToo() {
    Problems problems = new Problems();
    Map<String, Object> words =
        Map.of("api", Map.of("limits", List.of("10/s", Map.of("permits", 5, "per", "1m"))));
    List<Policy> policies =
        new PolicyReader(problems, Duration.ofMillis(7)).policies(ConfigNode.of(words));
    assertThat(problems.sorted()).isEmpty();
    assertThat(policies.get(0).limits()).hasSize(2);
    assertThat(policies.get(0).deadline()).hasValue(Duration.ofMillis(7));
  }
}
