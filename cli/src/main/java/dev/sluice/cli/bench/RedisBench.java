package dev.sluice.cli.bench;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.RedisAddress;
import dev.sluice.redis.RedisOptions;
import dev.sluice.redis.RedisStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionStage;

/**
 * Decisions on Redis beside plain SETs by Lettuce: slices of both alternate, so that both meet the
 * same noise, and the median of the rounds' ratios counts.
 */
public final class RedisBench {
  private static final Duration LONG = Duration.ofSeconds(10);

  private final String address;
  private final int rounds;
  private final long sliceMillis;

  /** Measures the server at an address, which is left with keys that go by themselves. */
  public RedisBench(String address, int rounds, long sliceMillis) {
    this.address = address;
    this.rounds = rounds;
    this.sliceMillis = sliceMillis;
  }

  /** Prints a line for each crowd. */
  public void run(PrintWriter out) throws InterruptedException {
    RedisClient client = RedisClient.create(address);
    try (StatefulRedisConnection<String, String> connection = client.connect();
        Sluice sluice =
            Sluice.of(
                RedisStore.connect(
                    RedisAddress.parse(address), RedisOptions.defaults().withDeadline(LONG)))) {
      RateLimiter limiter =
          sluice.limiter(
              Policy.named("bench")
                  .limits(List.of(Limit.tokenBucket(1_000_000_000, Duration.ofHours(1))))
                  .onStoreFailure(OnStoreFailure.DENY)
                  .build());
      Asked set = new Set(connection);
      Asked ours = new Decisions(limiter);
      out.printf("%-30s %14s %14s %8s%n", "redis, token bucket", "SET", "sluice", "of SET");
      for (Crowd crowd : Crowd.ALL) {
        out.println(line(crowd, set, ours));
        out.flush();
      }
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  private String line(Crowd crowd, Asked set, Asked ours) throws InterruptedException {
    List<Double> ratios = new ArrayList<>();
    List<Double> sets = new ArrayList<>();
    List<Double> decisions = new ArrayList<>();
    boolean timed = crowd.threads() == 1;
    for (int round = -1; round < rounds; round++) {
      Crowd.Outcome before = crowd.ask(set, sliceMillis);
      Crowd.Outcome own = crowd.ask(ours, sliceMillis);
      Crowd.Outcome after = crowd.ask(set, sliceMillis);
      if (round >= 0) {
        double unit =
            timed
                ? (before.median() + after.median()) / 2
                : (before.perSecond() + after.perSecond()) / 2;
        double figure = timed ? own.median() : own.perSecond();
        sets.add(unit);
        decisions.add(figure);
        ratios.add(figure / unit);
      }
    }
    return String.format(
        Locale.ROOT,
        "%-30s %14s %14s %7.2fx",
        crowd.title(),
        shown(median(sets), timed),
        shown(median(decisions), timed),
        median(ratios));
  }

  private static String shown(double figure, boolean timed) {
    return timed
        ? String.format(Locale.ROOT, "%.0f µs", figure / 1e3)
        : String.format(Locale.ROOT, "%,.0f/s", figure);
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  private record Set(StatefulRedisConnection<String, String> connection) implements Asked {
    // The least ACL allows no other names, and what is left behind must go by itself.
    private static final String PREFIX = "sl:{bench}";
    private static final SetArgs MINUTE = SetArgs.Builder.ex(Duration.ofMinutes(1));

    @Override
    public void ask(String key) {
      connection.sync().set(PREFIX + key, "1", MINUTE);
    }

    @Override
    public CompletionStage<?> askAsync(String key) {
      return connection.async().set(PREFIX + key, "1", MINUTE);
    }
  }

  private record Decisions(RateLimiter limiter) implements Asked {
    @Override
    public void ask(String key) {
      require(limiter.tryAcquire(key).allowed());
    }

    @Override
    public CompletionStage<?> askAsync(String key) {
      return limiter.tryAcquireAsync(key).thenAccept(decision -> require(decision.allowed()));
    }

    private static void require(boolean allowed) {
      if (!allowed) {
        throw new IllegalStateException("bench: a limit that nobody can reach was reached");
      }
    }
  }
}
