package dev.sluice.redis;

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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What decisions cost the server: microseconds a call by its own count, the least of some rounds,
 * and bytes a key. It measures and asserts nothing, so it runs when it is named only; the yardstick
 * is the least that a script for a bucket can do.
 */
class ScriptCostIT {
  private static final Pattern USEC = Pattern.compile("cmdstat_evalsha:.*?usec_per_call=([0-9.]+)");
  private static final int CALLS = 20_000;
  private static final int ROUNDS = 5;

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
  private final Map<String, Double> least = new LinkedHashMap<>();
  private double bytesOfAHit;
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
    Plan bucket = Plans.of("api", Limit.tokenBucket(10, second).burst(20));
    Plan big = Plans.of("api", Limit.tokenBucket(1_000_000, second));
    Plan three =
        Plans.of(
            "api",
            Limit.tokenBucket(1_000_000, second),
            Limit.tokenBucket(10_000_000, hour).name("hourly"),
            Limit.fixedWindow(100_000_000, hour));
    for (int round = 0; round < ROUNDS; round++) {
      report("least GCRA, allowed", repeat(least("1", "1000000")));
      report("token bucket, allowed", repeat(call(big)));
      report("least GCRA, denied", repeat(least("100000000", "20")));
      report("token bucket, denied", repeat(call(bucket)));
      report("three limits, allowed", repeat(call(three)));
      for (Limit limit :
          List.of(
              Limit.fixedWindow(1_000_000_000, second),
              Limit.slidingWindow(1_000_000_000, hour),
              Limit.leakyBucket(1_000_000, second).queue(1_000_000))) {
        report(limit.algorithm() + ", allowed", repeat(call(Plans.of("api", limit))));
      }
      log("sliding log, 10 hits", 10);
      log("sliding log, 100000 hits", 100_000);
      concurrency();
      expiry();
    }
    least.forEach((name, micros) -> print("%-36s %7.2f µs a call", name, micros));
    ratio("token bucket, allowed", "least GCRA, allowed");
    ratio("token bucket, denied", "least GCRA, denied");
    ratio("three limits, allowed", "token bucket, allowed");
    ratio("sliding log, 100000 hits", "sliding log, 10 hits");
    ratio("sliding log, 100000 hits, denied", "sliding log, 10 hits, denied");
    memory();
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private void ratio(String name, String yardstick) {
    print("%-36s %7.2f of: %s", name, least.get(name) / least.get(yardstick), yardstick);
  }

  private Call least(String interval, String burst) {
    List<byte[]> args = new ArrayList<>();
    for (String arg : List.of(interval, burst, "1")) {
      args.add(arg.getBytes(StandardCharsets.US_ASCII));
    }
    return new Call(LEAST, List.of("sl:{api:user:42}t".getBytes(StandardCharsets.US_ASCII)), args);
  }

  private Call call(Plan plan) {
    return Call.of(List.of(Request.acquire(plan, "user:42", 1)), owner, 0);
  }

  private static List<Call> repeat(Call call) {
    return Collections.nCopies(CALLS, call);
  }

  /** A full log from which each decision drops one hit and adds one. */
  private void log(String name, int hits) {
    Plan plan = Plans.of("api", Limit.slidingLog(hits, Duration.ofMillis(hits)));
    List<Call> fill = new ArrayList<>();
    List<Call> steady = new ArrayList<>();
    Call call = call(plan);
    long start = 1_800_000_000_000_000L;
    for (int i = 0; i < hits + CALLS; i++) {
      (i < hits ? fill : steady).add(call.at(start + i * 1_000L));
    }
    pipeline.command("FLUSHALL");
    run(fill);
    report(name, steady, false);
    if (hits == 100_000) {
      String key = "sl:{api:user:42}l";
      long bytes = (Long) pipeline.command("MEMORY", "USAGE", key, "SAMPLES", "0");
      long length = (Long) pipeline.command("LLEN", key);
      bytesOfAHit = 2.0 * bytes / length;
    }
    report(name + ", denied", repeat(call.at(start + (hits + CALLS - 1) * 1_000L)), false);
  }

  /** The one call that finds 100,000 hits gone, all of them or half. */
  private void expiry() {
    int hits = 100_000;
    for (int gone : List.of(hits, hits / 2)) {
      Call call = call(Plans.of("api", Limit.slidingLog(hits, Duration.ofMillis(hits))));
      long start = 1_800_000_000_000_000L;
      List<Call> fill = new ArrayList<>();
      for (int i = 0; i < hits; i++) {
        fill.add(call.at(start + i * 1_000L));
      }
      pipeline.command("FLUSHALL");
      run(fill);
      pipeline.command("CONFIG", "RESETSTAT");
      run(List.of(call.at(start + (hits + gone) * 1_000L)));
      record("sliding log, " + gone + " hits expire at once");
    }
  }

  private void concurrency() {
    Plan plan = Plans.of("api", Limit.concurrency(1_000_000));
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      Request request =
          new Request(plan, "user:42", 1, Request.Mode.ACQUIRE, 0, "aaaaaaaaaaaaaaaa" + i, 0);
      calls.add(Call.of(List.of(request), owner, 0));
    }
    report("concurrency, held", calls);
  }

  private void report(String name, List<Call> calls) {
    report(name, calls, true);
  }

  private void report(String name, List<Call> calls, boolean flush) {
    if (flush) {
      pipeline.command("FLUSHALL");
    }
    run(calls.subList(0, 1));
    pipeline.command("CONFIG", "RESETSTAT");
    run(calls.subList(1, calls.size()));
    record(name);
  }

  private void record(String name) {
    Matcher stat = USEC.matcher(String.valueOf(pipeline.command("INFO", "commandstats")));
    if (!stat.find()) {
      throw new IllegalStateException("commandstats: must tell of EVALSHA");
    }
    least.merge(name, Double.valueOf(stat.group(1)), Math::min);
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
    for (Limit limit :
        List.of(
            Limit.tokenBucket(10, Duration.ofHours(1)),
            Limit.fixedWindow(10, Duration.ofHours(1)),
            Limit.slidingWindow(10, Duration.ofHours(1)),
            Limit.slidingLog(10, Duration.ofHours(1)),
            Limit.concurrency(10))) {
      Plan plan = Plans.of("api", limit);
      pipeline.command("FLUSHALL");
      long before = used();
      List<Call> calls = new ArrayList<>();
      for (int i = 0; i < 100_000; i++) {
        Request request =
            new Request(plan, "user:" + i, 1, Request.Mode.ACQUIRE, 0, "aaaaaaaaaaaaaaaaaaaaaa", 0);
        calls.add(Call.of(List.of(request), owner, 0));
      }
      run(calls);
      double bytes = (used() - before) / 100_000.0;
      print("%-36s %7.1f bytes a key", limit.algorithm(), bytes);
    }
    print("%-36s %7.2f bytes a hit", "sliding log, 100000 hits", bytesOfAHit);
  }

  private long used() {
    Matcher used =
        Pattern.compile("used_memory:(\\d+)")
            .matcher(String.valueOf(pipeline.command("INFO", "memory")));
    return used.find() ? Long.parseLong(used.group(1)) : 0;
  }
}
