package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What decisions cost the server: its own CPU time a call, the medians of short rounds that take
 * turns in random order, so that what a busy machine adds falls on all alike; and bytes a key. It
 * measures and asserts nothing, so it runs when it is named only; the yardstick is the least that a
 * script for a bucket can do.
 */
class ScriptCostIT {
  private static final Pattern CPU = Pattern.compile("used_cpu_(?:user|sys)_main_thread:([0-9.]+)");
  private static final int CALLS = 1_000;
  private static final int ROUNDS = 41;
  private static final long START = 1_800_000_000_000_000L;

  private static final Script LEAST =
      Script.of(
          """
          local time = redis.call('TIME')
          local now = time[1] * 1000000 + time[2]
          local interval, burst, cost = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0
          local tat = tonumber(redis.call('GET', KEYS[1]) or now)
          if tat < now then
            tat = now
          end
          local after = tat + interval * cost
          local allow_at = after - burst * interval
          if allow_at > now then
            return { 0, 0, allow_at - now, tat - now }
          end
          local reset = after - now
          redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil(reset / 1000))
          return { 1, math.floor((now - allow_at) / interval), 0, reset }
          """);

  private final Store owner = new InMemoryStore();
  private final Map<String, Function<Integer, List<Call>>> cases = new LinkedHashMap<>();
  private final Map<String, List<Double>> micros = new LinkedHashMap<>();
  private final Random random = new Random(1);
  private RedisServer server;
  private Pipeline pipeline;

  @BeforeEach
  void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
    pipeline = new Pipeline(server, UnaryOperator.identity());
  }

  @AfterEach
  void stop() {
    pipeline.close();
    server.close();
  }

  @Test
  void measure() {
    Duration second = Duration.ofSeconds(1);
    Duration hour = Duration.ofHours(1);
    Limit bucket = Limit.tokenBucket(1_000_000, second);
    repeat("least GCRA, allowed", least("1", "1000000", "a"));
    repeat("token bucket, allowed", call(bucket));
    repeat("least GCRA, denied", least("100000000", "20", "d"));
    repeat("token bucket, denied", call(Limit.tokenBucket(20, hour)));
    repeat(
        "three limits, allowed",
        call(
            bucket,
            Limit.tokenBucket(1_000_000_000, hour).name("hourly"),
            Limit.fixedWindow(1_000_000_000, hour)));
    repeat("fixed window, allowed", call(Limit.fixedWindow(1_000_000_000, hour)));
    repeat("sliding window, allowed", call(Limit.slidingWindow(1_000_000_000, hour)));
    repeat("leaky bucket, allowed", call(Limit.leakyBucket(1_000_000, second).queue(1_000_000)));
    concurrency("concurrency, held");
    repeat("three sliding windows, allowed", windows());
    batches("a key in a batch of 64", Plans.of("many", bucket));
    log("sliding log, 10 hits", 10);
    log("sliding log, 100000 hits", 100_000);
    for (int round = 0; round < ROUNDS; round++) {
      List<String> names = new ArrayList<>(cases.keySet());
      Collections.shuffle(names, random);
      for (String name : names) {
        List<Call> calls = cases.get(name).apply(round);
        double before = cpuMicros();
        run(calls);
        double each = (cpuMicros() - before) / calls.size();
        micros.computeIfAbsent(name, unknown -> new ArrayList<>()).add(each);
      }
    }
    cases.keySet().forEach(name -> print("%-36s %7.2f µs a call", name, median(name)));
    ratio("token bucket, allowed", "least GCRA, allowed");
    ratio("token bucket, denied", "least GCRA, denied");
    ratio("three limits, allowed", "token bucket, allowed");
    print(
        "%-36s %7.2f µs a decision",
        "a key in a batch of 64", median("a key in a batch of 64") / 64);
    ratio("sliding log, 100000 hits", "sliding log, 10 hits");
    ratio("sliding log, 100000 hits, denied", "sliding log, 10 hits, denied");
    expiry();
    memory();
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private double median(String name) {
    return micros.get(name).stream().sorted().toList().get(ROUNDS / 2);
  }

  private void ratio(String name, String yardstick) {
    print("%-36s %7.2f of: %s", name, median(name) / median(yardstick), yardstick);
  }

  private static Call least(String interval, String burst, String key) {
    List<byte[]> args = Stream.of(interval, burst, "1").map(Prepared::text).toList();
    return new Call(LEAST, List.of(Prepared.text("sl:{least:user:42}" + key)), args);
  }

  /** A call for a policy of its own. */
  private Call call(Limit... limits) {
    Plan plan = Plans.of("policy" + cases.size(), limits);
    return Call.of(List.of(Request.acquire(plan, "user:42", 1)), owner, 0);
  }

  private void repeat(String name, Call call) {
    cases.put(name, round -> Collections.nCopies(CALLS, call));
  }

  private Call windows() {
    return call(
        Limit.slidingWindow(1_000_000_000, Duration.ofSeconds(1)),
        Limit.slidingWindow(1_000_000_000, Duration.ofMinutes(1)).name("minute"),
        Limit.slidingWindow(1_000_000_000, Duration.ofHours(1)).name("hour"));
  }

  private void batches(String name, Plan plan) {
    List<Call> calls =
        IntStream.range(0, CALLS / 16)
            .mapToObj(
                i -> {
                  Batch batch = new Batch(UnaryOperator.identity());
                  for (int j = 0; j < 64; j++) {
                    Request request = Request.acquire(plan, "user:" + (64 * i + j), 1);
                    batch.add(StrangeBatches.ticket(request, owner));
                  }
                  return batch.call();
                })
            .toList();
    cases.put(name, round -> calls);
  }

  private void concurrency(String name) {
    Plan plan = Plans.of("held", Limit.concurrency(1_000_000));
    cases.put(
        name,
        round ->
            IntStream.range(0, CALLS)
                .mapToObj(i -> held(plan, "user:42", "aaaaaaaaaaaa%02d%04d".formatted(round, i)))
                .toList());
  }

  private Call held(Plan plan, String key, String id) {
    return Call.of(List.of(new Request(plan, key, 1, Request.Mode.ACQUIRE, 0, id, 0)), owner, 0);
  }

  /** A full log from which each decision drops one hit and adds one; then one that it denies. */
  private void log(String name, int hits) {
    Call call = call(Limit.slidingLog(hits, Duration.ofMillis(hits)));
    run(hits(call, 0, hits));
    cases.put(name, round -> hits(call, hits + round * CALLS, CALLS));
    Call full = call(Limit.slidingLog(hits, Duration.ofMillis(hits)));
    run(hits(full, 0, hits));
    Call denied = full.at(START + (hits - 1) * 1_000L);
    cases.put(name + ", denied", round -> Collections.nCopies(CALLS, denied));
  }

  /** A hit each millisecond. */
  private static List<Call> hits(Call call, int first, int count) {
    return IntStream.range(first, first + count)
        .mapToObj(i -> call.at(START + i * 1_000L))
        .toList();
  }

  /** The one call that finds 100,000 hits gone, all of them or half. */
  private void expiry() {
    int hits = 100_000;
    for (int gone : List.of(hits, hits / 2)) {
      Call call = call(Limit.slidingLog(hits, Duration.ofMillis(hits)));
      pipeline.command("FLUSHALL");
      run(hits(call, 0, hits));
      double before = cpuMicros();
      run(List.of(call.at(START + (hits + gone) * 1_000L)));
      print("%-36s %7.2f µs", gone + " hits of a log expire at once", cpuMicros() - before);
    }
    String key = new String(call(Limit.slidingLog(hits, Duration.ofDays(1))).keys().get(0), UTF_8);
    long bytes = (Long) pipeline.command("MEMORY", "USAGE", key, "SAMPLES", "0");
    long length = (Long) pipeline.command("LLEN", key);
    print("%-36s %7.2f bytes a hit", length / 2 + " hits in a log", 2.0 * bytes / length);
  }

  /** Of the thread that runs commands: freeing in the background stalls nobody. */
  private double cpuMicros() {
    Matcher cpu = CPU.matcher(String.valueOf(pipeline.command("INFO", "cpu")));
    double seconds = 0;
    while (cpu.find()) {
      seconds += Double.parseDouble(cpu.group(1));
    }
    return seconds * 1e6;
  }

  private void run(List<Call> calls) {
    for (int i = 0; i < calls.size(); i += 500) {
      for (Object reply : pipeline.run(calls.subList(i, Math.min(calls.size(), i + 500)))) {
        if (reply instanceof String error) {
          throw new IllegalStateException(error);
        }
      }
    }
  }

  private void memory() {
    print("%-36s %s", "allocator", field("memory", "mem_allocator:(\\S+)"));
    bytesAKey("least GCRA", i -> least("360000000", "10", "-" + (100_000 + i)));
    for (Limit limit :
        List.of(
            Limit.tokenBucket(10, Duration.ofHours(1)),
            Limit.fixedWindow(10, Duration.ofHours(1)),
            Limit.slidingWindow(10, Duration.ofHours(1)),
            Limit.slidingLog(10, Duration.ofHours(1)),
            Limit.concurrency(10))) {
      Plan plan = Plans.of("api", limit);
      bytesAKey(
          limit.algorithm().toString(), i -> held(plan, "user:" + (100_000 + i), "a".repeat(22)));
    }
  }

  private void bytesAKey(String name, IntFunction<Call> call) {
    pipeline.command("FLUSHALL");
    long before = Long.parseLong(field("memory", "used_memory:(\\d+)"));
    run(IntStream.range(0, 100_000).mapToObj(call).toList());
    long after = Long.parseLong(field("memory", "used_memory:(\\d+)"));
    print("%-36s %7.1f bytes a key", name, (after - before) / 100_000.0);
  }

  private String field(String section, String pattern) {
    Matcher field =
        Pattern.compile(pattern).matcher(String.valueOf(pipeline.command("INFO", section)));
    return field.find() ? field.group(1) : "0";
  }
}
