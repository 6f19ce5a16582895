package dev.sluice.redis;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * Decisions a second on one key from 32 threads, beside Lettuce's SET in alternating rounds, and
 * what reaches the server. Run it by hand; docs/tiers.md tells how.
 */
final class TierLoad {
  private static final int THREADS = 32;
  private static final int ROUNDS = 5;
  private static final long ROUND_NANOS = 1_000_000_000L;

  private final RedisServer server;

  private TierLoad(RedisServer server) {
    this.server = server;
  }

  private record Round(double decisions, double admitted, double calls) {}

  /** No arguments. */
  public static void main(String[] args) throws InterruptedException {
    RedisOptions patient = RedisOptions.defaults().withDeadline(Stores.PATIENCE);
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        Sluice sluice = Sluice.of(RedisStore.connect(RedisAddress.parse(server.uri()), patient));
        RedisClient client = RedisClient.create(server.uri());
        StatefulRedisConnection<String, String> connection = client.connect()) {
      TierLoad load = new TierLoad(server);
      RedisCommands<String, String> redis = connection.sync();
      BooleanSupplier set = () -> "OK".equals(redis.set("k", "v"));
      load.compare("out, 5 an hour", limiter(sluice, 5, Duration.ofHours(1), Tier.EXACT), set);
      for (long permits : new long[] {1_000, 1_000_000, 100_000_000}) {
        RateLimiter limiter = limiter(sluice, permits, Duration.ofSeconds(1), Tier.LEASED);
        load.compare("leased, %,d a second".formatted(permits), limiter, set);
      }
    }
  }

  private static RateLimiter limiter(Sluice sluice, long permits, Duration per, Tier tier) {
    return sluice.limiter(
        Policy.named("p" + permits)
            .limits(List.of(Limit.tokenBucket(permits, per)))
            .tier(tier)
            .onStoreFailure(OnStoreFailure.DENY)
            .build());
  }

  private void compare(String what, RateLimiter limiter, BooleanSupplier set)
      throws InterruptedException {
    List<Round> ours = new ArrayList<>();
    List<Round> sets = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      ours.add(round(() -> limiter.tryAcquire("k").allowed()));
      sets.add(round(set));
    }
    double decisions = median(ours.stream().mapToDouble(Round::decisions).toArray());
    System.out.printf(
        "%-28s %,12.0f decisions/s, %,11.0f admitted/s, %,7.0f calls/s; %,7.0f SET/s, ratio %.0f%n",
        what,
        decisions,
        median(ours.stream().mapToDouble(Round::admitted).toArray()),
        median(ours.stream().mapToDouble(Round::calls).toArray()),
        median(sets.stream().mapToDouble(Round::decisions).toArray()),
        decisions / median(sets.stream().mapToDouble(Round::decisions).toArray()));
  }

  private Round round(BooleanSupplier ask) throws InterruptedException {
    LongAdder asked = new LongAdder();
    LongAdder admitted = new LongAdder();
    long before = calls();
    long started = System.nanoTime();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(() -> ask(ask, started + ROUND_NANOS, asked, admitted));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (System.nanoTime() - started) / 1e9;
    return new Round(asked.sum() / seconds, admitted.sum() / seconds, (calls() - before) / seconds);
  }

  private static void ask(BooleanSupplier ask, long end, LongAdder asked, LongAdder admitted) {
    long all = 0;
    long yes = 0;
    while (System.nanoTime() - end < 0) {
      yes += ask.getAsBoolean() ? 1 : 0;
      all++;
    }
    asked.add(all);
    admitted.add(yes);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  private long calls() {
    return String.valueOf(server.command("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
        .mapToLong(
            line -> Long.parseLong(line.replaceAll("^cmdstat_evalsha:calls=(\\d+),.*", "$1")))
        .sum();
  }
}
