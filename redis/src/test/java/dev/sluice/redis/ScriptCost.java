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
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What decisions cost the server: microseconds a call by its own count, and bytes a key. Run it by
 * hand; the yardstick is the least that a script for a bucket can do.
 */
final class ScriptCost {
  private static final Pattern USEC = Pattern.compile("cmdstat_evalsha:.*?usec_per_call=([0-9.]+)");
  private static final int CALLS = 20_000;
  private static final int ROUNDS = 7;

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

  private final Pipeline pipeline;
  private final Store owner = new InMemoryStore();

  private ScriptCost(Pipeline pipeline) {
    this.pipeline = pipeline;
  }

  public static void main(String[] args) {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        Pipeline pipeline = new Pipeline(server, UnaryOperator.identity())) {
      new ScriptCost(pipeline).run(args.length > 0);
    }
  }

  private void run(boolean quick) {
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
    for (int round = 0; round < (quick ? 2 : ROUNDS); round++) {
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
    }
    memory();
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
    return java.util.Collections.nCopies(CALLS, call);
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
      System.out.printf(Locale.ROOT, "%-28s %6.2f bytes a hit%n", name, 2.0 * bytes / length);
    }
    report(name + ", denied", repeat(call.at(start + (hits + CALLS - 1) * 1_000L)), false);
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
    double before = processor();
    run(calls.subList(1, calls.size()));
    double cpu = (processor() - before) * 1e6 / (calls.size() - 1);
    Matcher stat = USEC.matcher(String.valueOf(pipeline.command("INFO", "commandstats")));
    System.out.printf(
        Locale.ROOT,
        "%-28s %6s µs a call, %6.2f µs of processor time with input and output%n",
        name,
        stat.find() ? stat.group(1) : "?",
        cpu);
  }

  /**
   * Seconds that the server has computed: unlike the time of a call, what others do is not in it.
   */
  private double processor() {
    Matcher time =
        Pattern.compile("used_cpu_user:([0-9.]+)")
            .matcher(String.valueOf(pipeline.command("INFO", "cpu")));
    return time.find() ? Double.parseDouble(time.group(1)) : 0;
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
      System.out.printf(Locale.ROOT, "%-28s %6.1f bytes a key%n", limit.algorithm(), bytes);
    }
  }

  private long used() {
    Matcher used =
        Pattern.compile("used_memory:(\\d+)")
            .matcher(String.valueOf(pipeline.command("INFO", "memory")));
    return used.find() ? Long.parseLong(used.group(1)) : 0;
  }
}
