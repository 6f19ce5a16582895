package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Algorithm;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a decision leaves in the server, and how much work it is there. */
class StateTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String KEY = "sl:{api:user:42}";
  private static final long START = 1_800_000_000_000_000L;
  private static final Pattern INNER = Pattern.compile("cmdstat_(\\w+):calls=(\\d+)");

  private static RedisServer server;
  private static Pipeline pipeline;
  private static final Store OWNER = new InMemoryStore();

  @BeforeAll
  static void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
    pipeline = new Pipeline(server, UnaryOperator.identity());
  }

  @AfterAll
  static void stop() {
    pipeline.close();
    server.close();
  }

  @BeforeEach
  void empty() {
    pipeline.command("FLUSHALL");
  }

  private static Call acquire(Plan plan) {
    return Call.of(List.of(Request.acquire(plan, "user:42", 1)), OWNER, 0);
  }

  private static List<Object> run(Call call) {
    return asNumbers(pipeline.run(List.of(call)).get(0));
  }

  @SuppressWarnings("unchecked") // the scripts answer with flat lists
  private static List<Object> asNumbers(Object reply) {
    assertThat(reply).isInstanceOf(List.class);
    return (List<Object>) reply;
  }

  private static Decision decide(Plan plan) {
    Request request = Request.acquire(plan, "user:42", 1);
    return Reply.decode(List.of(request), run(acquire(plan))).get(0);
  }

  @Test
  void theServersClockDecides() {
    Limit bucket = Limit.tokenBucket(5, HOUR);
    for (Plan plan : List.of(Plans.of("p", bucket), Plans.of("q", bucket.initial(1)))) {
      long before = serverMicros();
      assertThat(decide(plan).passesAtMicros()).isBetween(before, serverMicros());
    }
  }

  private static long serverMicros() {
    List<?> time = (List<?>) pipeline.command("TIME");
    return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
  }

  @Test
  void bucketsAndWindowsAreOneNumber() {
    for (Limit limit :
        List.of(
            Limit.tokenBucket(10, HOUR), Limit.fixedWindow(10, HOUR), Limit.counter(10, HOUR))) {
      pipeline.command("FLUSHALL");
      Call call = acquire(Plans.of("api", limit));
      run(call);
      String key = new String(call.keys().get(0), StandardCharsets.US_ASCII);
      assertThat(pipeline.command("OBJECT", "ENCODING", key)).isEqualTo("int");
      assertThat((Long) pipeline.command("MEMORY", "USAGE", key)).isLessThanOrEqualTo(120);
    }
  }

  @Test
  void severalBucketsAndWindowsAreOneValue() {
    Limit bucket = Limit.tokenBucket(10, HOUR);
    Limit daily = Limit.fixedWindow(100, Duration.ofDays(1)).name("daily");
    run(acquire(Plans.of("api", bucket, Limit.fixedWindow(50, HOUR), daily)));
    assertThat((List<?>) pipeline.command("KEYS", "*")).hasToString("[%s]".formatted(KEY));
    assertThat((Long) pipeline.command("STRLEN", KEY)).isEqualTo("t,f,fdaily\n".length() + 3 * 16L);
    assertThat((Long) pipeline.command("MEMORY", "USAGE", KEY)).isLessThanOrEqualTo(180);
  }

  /** The number of a bucket tells its instant within twelve days only. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 10, 12, 13, 20, 30, 100, 1_000})
  void clockThatStepsBackByDaysAdmitsNoMoreThanOnceAndBlocksNoLongerThanTwoPeriods(int days) {
    Plan plan = Plans.of("api", Limit.tokenBucket(5, Duration.ofDays(1)));
    long day = Duration.ofDays(1).toNanos() / 1_000;
    long back = START - days * day;
    assertThat(admitted(plan, START)).isEqualTo(5);
    assertThat(admitted(plan, back)).isLessThanOrEqualTo(days > 1 ? 5 : 0);
    assertThat(admitted(plan, back)).isZero();
    assertThat(admitted(plan, back + 2 * day)).isPositive();
  }

  /** Of ten requests at an instant. */
  private static long admitted(Plan plan, long now) {
    Request request = Request.acquire(plan, "user:42", 1);
    return IntStream.range(0, 10)
        .filter(i -> Reply.decode(List.of(request), run(acquire(plan).at(now))).get(0).allowed())
        .count();
  }

  @Test
  void bucketOfAMonthIsNoNumberAndFitsToo() {
    run(acquire(Plans.of("api", Limit.tokenBucket(10, Duration.ofDays(30)))));
    assertThat(pipeline.command("OBJECT", "ENCODING", KEY)).isEqualTo("embstr");
    assertThat((Long) pipeline.command("MEMORY", "USAGE", KEY)).isLessThanOrEqualTo(120);
  }

  @Test
  void severalLimitsAreReadAndWrittenOnce() {
    Call call = acquire(Plans.of("api", Limit.tokenBucket(10, HOUR), Limit.fixedWindow(50, HOUR)));
    run(call);
    pipeline.command("CONFIG", "RESETSTAT");
    run(call);
    String stats = String.valueOf(pipeline.command("INFO", "commandstats"));
    assertThat(stats).contains("cmdstat_get:calls=1,").contains("cmdstat_set:calls=1,");
  }

  @Test
  void limitsOfOtherRulesAreKeptForAsLongAsTheyMatter() {
    Limit second = Limit.tokenBucket(10, Duration.ofSeconds(1));
    Limit slow = Limit.tokenBucket(1, HOUR).name("slow");
    run(acquire(Plans.of("api", second, slow)));
    Call without = acquire(Plans.of("api", second));
    run(without);
    assertThat(String.valueOf(pipeline.command("GET", KEY))).contains("t,tslow@");
    assertThat((Long) pipeline.command("PTTL", KEY)).isBetween(3_590_000L, 3_602_000L);
    assertThat(decide(Plans.of("api", slow)).allowed()).isFalse();
    run(without.at(serverMicros() + HOUR.toNanos() / 1_000 + 5_000_000));
    assertThat(pipeline.command("OBJECT", "ENCODING", KEY)).isEqualTo("int");
  }

  @Test
  void hitOfASlidingLogTakesSixteenBytesAtMost() {
    int hits = 20_000;
    fill(hits);
    long bytes = (Long) pipeline.command("MEMORY", "USAGE", "sl:{api:user:42}l", "SAMPLES", "0");
    assertThat(bytes).isLessThanOrEqualTo(16L * hits);
  }

  @Test
  void longLogIsDecidedWithAsFewCommandsAsAShortOne() {
    assertThat(commandsOfADecision(20_000)).isEqualTo(commandsOfADecision(10));
  }

  /** Names and numbers of the commands inside a full log's next decisions, allowed and denied. */
  private static Map<String, Long> commandsOfADecision(int hits) {
    Call call = fill(hits);
    pipeline.command("CONFIG", "RESETSTAT");
    List<Object> allowed = run(call.at(START + hits * 1_000L));
    List<Object> denied = run(call.at(START + hits * 1_000L));
    assertThat((Long) allowed.get(3)).isZero();
    assertThat((Long) denied.get(3)).isEqualTo(1_000);
    Map<String, Long> commands = new TreeMap<>();
    Matcher stat = INNER.matcher(String.valueOf(pipeline.command("INFO", "commandstats")));
    while (stat.find()) {
      commands.put(stat.group(1), Long.valueOf(stat.group(2)));
    }
    assertThat(commands).containsEntry("evalsha", 2L).containsEntry("ltrim", 1L);
    return commands;
  }

  /** Fills a log with a hit each millisecond; one more has room when the oldest has gone. */
  private static Call fill(int hits) {
    Call call = acquire(Plans.of("api", Limit.slidingLog(hits, Duration.ofMillis(hits))));
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < hits; i++) {
      calls.add(call.at(START + i * 1_000L));
    }
    pipeline.command("FLUSHALL");
    assertThat(pipeline.run(calls))
        .allSatisfy(r -> assertThat(asNumbers(r)).element(3).isEqualTo(0L));
    return call;
  }

  @Test
  void logThatHasExpiredIsReplacedNotWalked() {
    Call call = fill(20_000);
    pipeline.command("CONFIG", "RESETSTAT");
    run(call.at(START + 10 * 20_000_000L));
    String stats = String.valueOf(pipeline.command("INFO", "commandstats"));
    assertThat(stats).contains("cmdstat_unlink:calls=1").doesNotContain("cmdstat_ltrim");
    assertThat(pipeline.command("LLEN", "sl:{api:user:42}l")).isEqualTo(4L);
  }

  @Test
  void scriptsRunTheCommandsOfTheListAndNoOthers() {
    String everything =
        Scripts.text(List.of("acquire", "acquire_hits"))
            + Scripts.batch().source()
            + Scripts.of(EnumSet.allOf(Algorithm.class)).source();
    Set<String> commands = new TreeSet<>();
    Matcher call =
        Pattern.compile("(?:(?:call|try|run)\\(|write\\(\\w+, )'(\\w+)'").matcher(everything);
    while (call.find()) {
      commands.add(call.group(1).toLowerCase(Locale.ROOT));
    }
    assertThat(Scripts.COMMANDS).containsExactlyElementsOf(commands);
  }
}
