package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Request.Mode;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** The scripts on a server without memory, for mistakes that show nowhere else. */
final class FullMemory {
  private static final Duration DAY = Duration.ofDays(1);
  private static final long START = 1_800_000_000_000_000L;

  private final Pipeline pipeline;
  private final Store owner = new InMemoryStore();

  private FullMemory(Pipeline pipeline) {
    this.pipeline = pipeline;
  }

  /** The first thing that is not as FullMemoryTest wants it, or null. */
  static String firstDifference(RedisServer server, UnaryOperator<String> change) {
    Limit bucket = Limit.tokenBucket(5, DAY);
    Limit window = Limit.fixedWindow(5, DAY);
    Limit log = Limit.slidingLog(5, DAY);
    Limit leases = Limit.concurrency(5).lease(DAY);
    List<Plan> plans =
        List.of(
            Plans.of("p", bucket),
            Plans.of("p", bucket, window),
            Plans.of("p", bucket.initial(4)),
            Plans.of("p", log),
            Plans.of("p", log, Limit.slidingWindow(5, DAY)),
            Plans.of("p", leases),
            Plans.of("p", log, bucket.initial(4), leases));
    try (Pipeline pipeline = new Pipeline(server, change)) {
      FullMemory full = new FullMemory(pipeline);
      for (Plan plan : plans) {
        String difference = full.walk(plan);
        if (difference != null) {
          return plan + ": " + difference;
        }
      }
      return null;
    } finally {
      server.command("CONFIG", "SET", "maxmemory", "0");
    }
  }

  private String walk(Plan plan) {
    pipeline.command("CONFIG", "SET", "maxmemory", "0");
    pipeline.command("FLUSHALL");
    run(request(plan, "known", Mode.ACQUIRE, "id1"));
    run(request(plan, "half", Mode.ACQUIRE, "id2"));
    // Of one key only the first limit is there.
    List<byte[]> half = keys(plan, "half");
    for (byte[] key : half.subList(1, half.size())) {
      pipeline.command("DEL", new String(key, StandardCharsets.ISO_8859_1));
    }
    long reference = remaining(plan, "other", "id3");
    long before = (Long) pipeline.command("DBSIZE");
    pipeline.command("CONFIG", "SET", "maxmemory", "1");
    String found = decideAll(plan, reference);
    if (found == null && (Long) pipeline.command("DBSIZE") != before) {
      return "keys were added";
    }
    for (Object key : (List<?>) pipeline.command("KEYS", "*")) {
      long life = (Long) pipeline.command("PTTL", key.toString());
      if (found == null && life < Duration.ofHours(4).toMillis()) {
        return "key '%s' lives %d ms".formatted(key, life);
      }
    }
    return found;
  }

  private String decideAll(Plan plan, long first) {
    long second = remaining(plan, "known", "id4");
    if (second != first - 1) {
      return "known key, got " + second;
    }
    for (Mode mode : List.of(Mode.ACQUIRE, Mode.FORCE, Mode.RESERVE)) {
      String refused = String.valueOf(run(request(plan, "new", mode, "id5")));
      if (!refused.contains("OOM")) {
        return "new key, got " + refused;
      }
      refused = String.valueOf(run(request(plan, "half", mode, "id6")));
      // Beside a key for the state there is one for reservations.
      if (keys(plan, "half").size() > 2 && !refused.contains("OOM")) {
        return "new key of two, got " + refused;
      }
    }
    String reserved = String.valueOf(run(request(plan, "known", Mode.RESERVE, "id7")));
    if (!reserved.contains("OOM")) {
      return "new reservations, got " + reserved;
    }
    String together =
        String.valueOf(
            run(
                request(plan, "known", Mode.ACQUIRE, "id8"),
                request(plan, "new", Mode.ACQUIRE, "id9")));
    if (!together.contains("OOM")) {
      return "new key beside another, got " + together;
    }
    long last = remaining(plan, "known", "id0");
    return last != first - 2 ? "then " + last : null;
  }

  private static Request request(Plan plan, String key, Mode mode, String id) {
    boolean named = plan.concurrent() || mode == Mode.RESERVE;
    long time = mode == Mode.RESERVE ? DAY.toNanos() / 1_000 : 0;
    return new Request(plan, key, 1, mode, 0, named ? id : null, time);
  }

  private List<byte[]> keys(Plan plan, String key) {
    return Call.of(List.of(request(plan, key, Mode.ACQUIRE, "id")), owner, START).keys();
  }

  private Object run(Request... requests) {
    return pipeline.run(List.of(Call.of(List.of(requests), owner, START).at(START))).get(0);
  }

  /** What remains of the first limit after a permit was taken; -1 if none was. */
  private long remaining(Plan plan, String key, String id) {
    Request request = request(plan, key, Mode.ACQUIRE, id);
    if (!(run(request) instanceof List<?> reply)) {
      return -1;
    }
    Decision decision = Reply.decode(List.of(request), List.copyOf(reply)).get(0);
    return decision.allowed() ? decision.limits().get(0).remaining() : -1;
  }
}
