package dev.sluice.bench.redis;

import dev.sluice.Limit;
import dev.sluice.Tier;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** All that are measured, each with the same limit where it has one. */
final class Subjects implements AutoCloseable {
  static final String UNIT = "SET by Lettuce";
  static final String FASTEST = "SET by a blocking socket";
  static final String NO_REDIS = "hand-over without Redis";
  static final String OURS = "Sluice";
  static final String LEASED = "Sluice leased";

  private final RedisClient client;
  private final Map<String, Subject> all = new LinkedHashMap<>();

  /** Asks for {@code permits} in a period, which come back evenly where the subject can do that. */
  Subjects(String host, int port, long permits, Duration per) {
    String uri = "redis://%s:%d".formatted(host, port);
    String micros = Long.toString(per.toNanos() / 1_000);
    String count = Long.toString(permits);
    this.client = RedisClient.create(uri);
    all.put(UNIT, new LettuceSet(client));
    all.put(FASTEST, new Blocking(host, port));
    all.put(NO_REDIS, new Handover());
    all.put(OURS, new OurStore(uri, "bench", Tier.EXACT, Limit.tokenBucket(permits, per)));
    all.put(LEASED, new OurStore(uri, "leased", Tier.LEASED, Limit.tokenBucket(permits, per)));
    all.put(
        "Sluice with three limits",
        new OurStore(
            uri,
            "three",
            Tier.EXACT,
            Limit.tokenBucket(permits, per),
            Limit.tokenBucket(permits, per.multipliedBy(2)).name("slow"),
            Limit.fixedWindow(permits, per)));
    long logged = Math.min(permits, Limit.MOST_LOGGED_PERMITS);
    all.put(
        "Sluice's sliding log",
        new OurStore(uri, "log", Tier.EXACT, Limit.slidingLog(logged, per)));
    String interval = Long.toString(per.toNanos() / 1_000 / permits);
    all.put("minimal GCRA script", new LettuceScript(client, "gcra", interval, micros));
    all.put(
        "redis_rate's GCRA",
        new LettuceScript(client, "redis_rate", count, count, Long.toString(per.toSeconds())));
    all.put("sorted-set log", new LettuceScript(client, "sorted_set", count, "1000000"));
    all.put("Spring Cloud Gateway's", new LettuceScript(client, "gateway", "1", count));
    all.put("Bucket4j", new Bucket4j(client, permits, per, Optimization.NONE_OPTIMIZED));
    all.put("Bucket4j batching", new Bucket4j(client, permits, per, Optimizations.batching()));
    all.put("Redisson", new Redisson(uri, permits, per));
  }

  /** Those that only block. */
  static boolean blocks(String name) {
    return name.equals(FASTEST) || name.equals(NO_REDIS);
  }

  /** Those that let everything pass. */
  static boolean unlimited(String name) {
    return name.equals(UNIT) || blocks(name);
  }

  Map<String, Subject> all() {
    return all;
  }

  @Override
  public void close() {
    all.values().forEach(Subject::close);
    client.shutdown();
  }
}
