package dev.sluice.bench.redis;

import dev.sluice.Limit;
import dev.sluice.Tier;
import dev.sluice.redis.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What one caller waits for a refusal, beside plain SETs in turn. Another store has used up every
 * key, so the first refusal of each is Redis' own; the second is remembered.
 */
public final class Refusals {
  private static final int ROUNDS = 21;
  // The first do not count: the JVM compiles.
  private static final int WARM_UP = 7;
  private static final int CALLS = 3_000;

  private Refusals() {}

  private interface Call {
    boolean ask(String key) throws Exception;
  }

  /** Arguments: {@code server=redis-server}, for another than the one that comes with the build. */
  public static void main(String[] args) throws Exception {
    Limit one = Limit.tokenBucket(1, Duration.ofHours(1));
    try (RedisServer server = RedisServer.on(Options.of(args).server()).start();
        OurStore other = new OurStore(server.uri(), "refusals", Tier.EXACT, one);
        OurStore ours = new OurStore(server.uri(), "refusals", Tier.EXACT, one)) {
      Call set = new LettuceSet(RedisClient.create(server.uri()))::ask;
      Call fastest = new Blocking("127.0.0.1", server.port())::ask;
      Call refused = key -> !ours.ask(key);
      Map<String, Histogram> times = new LinkedHashMap<>();
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        if (round == 0) {
          times.clear();
        }
        String[] keys = usedUp(other, round);
        for (String key : keys) {
          time(Subjects.UNIT, times, set, key);
        }
        for (String key : keys) {
          time(Subjects.FASTEST, times, fastest, key);
        }
        for (String key : keys) {
          time("refused by Redis", times, refused, key);
          time("refused again, at once", times, refused, key);
        }
      }
      print(times);
    }
    // Lettuce leaves threads behind for a while.
    System.exit(0);
  }

  private static String[] usedUp(OurStore other, int round) {
    String[] keys = new String[CALLS];
    for (int i = 0; i < CALLS; i++) {
      keys[i] = "user:" + round + ":" + i;
      expect(other.ask(keys[i]), keys[i]);
    }
    return keys;
  }

  private static void time(String name, Map<String, Histogram> times, Call call, String key)
      throws Exception {
    long before = System.nanoTime();
    boolean expected = call.ask(key);
    long taken = System.nanoTime() - before;
    times.computeIfAbsent(name, unknown -> new Histogram(3)).recordValue(taken);
    expect(expected, key);
  }

  private static void expect(boolean expected, String key) {
    if (!expected) {
      throw new IllegalStateException("key '%s': got another answer than expected".formatted(key));
    }
  }

  private static void print(Map<String, Histogram> times) {
    double unit = times.get(Subjects.UNIT).getValueAtPercentile(50);
    System.out.println("| | p50 µs | p99 µs | of SET |\n|---|---|---|---|");
    times.forEach(
        (name, taken) -> {
          double p50 = taken.getValueAtPercentile(50);
          System.out.printf(
              "| %s | %.1f | %.1f | %.2f |%n",
              name, p50 / 1e3, taken.getValueAtPercentile(99) / 1e3, p50 / unit);
        });
  }
}
