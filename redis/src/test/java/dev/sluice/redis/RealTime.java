package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** The scripts at the server's own clock: the instant that they tell, and how long keys live. */
final class RealTime implements AutoCloseable {
  private static final long COST = 17;
  // A busy machine may take its time between two commands.
  private static final long SLACK_MILLIS = 60_000;

  private final Pipeline pipeline;
  private final Store owner = new InMemoryStore();

  private RealTime(Pipeline pipeline) {
    this.pipeline = pipeline;
  }

  /** The first thing that is not as it should be, or null. */
  static String firstDifference(RedisServer server, UnaryOperator<String> change) {
    Duration day = Duration.ofMillis(86_400_001);
    try (RealTime real = new RealTime(new Pipeline(server, change))) {
      for (Limit limit :
          List.of(
              Limit.tokenBucket(7, day).burst(20),
              Limit.fixedWindow(20, day),
              Limit.counter(20, day),
              Limit.slidingLog(20, day))) {
        String difference = real.walk(Plans.of("p", limit));
        if (difference != null) {
          return limit + ": " + difference;
        }
      }
      return real.raised();
    }
  }

  private String walk(Plan plan) {
    pipeline.command("FLUSHALL");
    Object reply = pipeline.run(List.of(call(plan, "a"))).get(0);
    if (!(reply instanceof List<?> numbers)) {
      return "got " + reply;
    }
    Decision decision = Reply.decode(List.of(request(plan, "a")), List.copyOf(numbers)).get(0);
    String difference = difference(plan, "a", decision.passesAtMicros(), decision);
    if (difference == null && Prepared.of(plan, owner).plain) {
      difference = together(plan, decision);
    }
    return difference == null ? foreign(plan) : difference;
  }

  private String together(Plan plan, Decision alone) {
    Batch batch = new Batch(call -> call);
    for (String key : List.of("b", "c")) {
      batch.add(StrangeBatches.ticket(request(plan, key), owner));
    }
    Object reply = pipeline.run(List.of(batch.call())).get(0);
    if (!(reply instanceof List<?> numbers)) {
      return "got " + reply;
    }
    return difference(plan, "c", new BatchReply(List.copyOf(numbers)).now(), alone);
  }

  private String difference(Plan plan, String key, long nowMicros, Decision decision) {
    long off = System.currentTimeMillis() - nowMicros / 1_000;
    if (Math.abs(off) > SLACK_MILLIS) {
      return "clock is off by %d ms".formatted(off);
    }
    long life = (Long) pipeline.command("PTTL", name(plan, key));
    long most = (decision.resetAfterMicros() + 999) / 1_000 + 1_000;
    return life > most || life < most - SLACK_MILLIS
        ? "key '%s': must live at most %d ms, lives %d".formatted(key, most, life)
        : null;
  }

  /** A bucket in use is raised where it lies while it lives for long enough, else written anew. */
  private String raised() {
    Duration each = Duration.ofHours(1);
    Plan plan = Plans.of("p", Limit.tokenBucket(20, each.multipliedBy(20)).burst(40));
    pipeline.command("FLUSHALL");
    pipeline.command("CONFIG", "RESETSTAT");
    long t = 0;
    long ends = 0;
    int written = 0;
    for (int used = 1; used < 40; used += 2) {
      Batch batch = new Batch(call -> call);
      batch.add(StrangeBatches.ticket(Request.acquire(plan, "a", used == 1 ? 1 : 2), owner));
      Object reply = pipeline.run(List.of(batch.call())).get(0);
      if (!(reply instanceof List<?> numbers)) {
        return "%d used: got %s".formatted(used, reply);
      }
      long now = new BatchReply(List.copyOf(numbers)).now();
      t = used == 1 ? now : t;
      long needed = each.toNanos() / 1_000 * used;
      if (t + needed > ends) {
        ends = used == 1 ? t + needed : ends(t, needed, each.toNanos() / 1_000 * 20);
        written++;
      }
      long most = (ends - now) / 1_000 + 1_005;
      long life = (Long) pipeline.command("PTTL", name(plan, "a"));
      if (life > most || life < most - SLACK_MILLIS) {
        return "%d used: must live %d ms, lives %d".formatted(used, most, life);
      }
    }
    String stats = String.valueOf(pipeline.command("INFO", "commandstats"));
    return stats.contains("cmdstat_set:calls=%d,".formatted(written))
            && stats.contains("cmdstat_incrby:calls=%d,".formatted(20 - written))
        ? null
        : "must be written %d times of twenty, got %s".formatted(written, stats);
  }

  /**
   * The end of the span after that of {@code t}; spans take the first power of two times 16,384
   * that is more than four times what is needed, or one of the three before; no period longer than
   * is needed or a limit remembers.
   */
  private static long ends(long t, long needed, long period) {
    long span = 16_384;
    while (span <= 4 * needed) {
      span *= 2;
    }
    for (long each : List.of(span, span / 2, span / 4, span / 8)) {
      long ends = t - t % each + 2 * each;
      if (ends >= t + needed && ends <= t + period + Math.max(needed, period)) {
        return ends;
      }
    }
    return t + needed;
  }

  /** Somebody else's value is not overwritten. */
  private String foreign(Plan plan) {
    pipeline.command("FLUSHALL");
    pipeline.command("SADD", name(plan, "a"), "somebody's");
    String reply = String.valueOf(pipeline.run(List.of(call(plan, "a"))).get(0));
    return reply.contains("WRONGTYPE") ? null : "somebody else's value, got " + reply;
  }

  private static Request request(Plan plan, String key) {
    return Request.acquire(plan, key, COST);
  }

  private Call call(Plan plan, String key) {
    return Call.of(List.of(request(plan, key)), owner, 0);
  }

  private String name(Plan plan, String key) {
    return new String(call(plan, key).keys().get(0), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
