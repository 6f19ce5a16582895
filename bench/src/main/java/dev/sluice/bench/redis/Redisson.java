package dev.sluice.bench.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RRateLimiter, with a limiter kept for each key. */
final class Redisson implements Subject {
  private final RedissonClient client;
  private final long permits;
  private final Duration per;
  private final Map<String, RRateLimiter> limiters = new ConcurrentHashMap<>();

  Redisson(String uri, long permits, Duration per) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    this.client = org.redisson.Redisson.create(config);
    this.permits = permits;
    this.per = per;
  }

  private RRateLimiter limiter(String key) {
    return limiters.computeIfAbsent(
        key,
        unknown -> {
          RRateLimiter made = client.getRateLimiter("redisson:" + unknown);
          made.trySetRate(RateType.OVERALL, permits, per);
          return made;
        });
  }

  @Override
  public boolean ask(String key) {
    return limiter(key).tryAcquire(1);
  }

  /** An answer comes on a thread that must not wait: a limiter is set up without that, too. */
  @Override
  public CompletionStage<Boolean> askAsync(String key) {
    RRateLimiter known = limiters.get(key);
    if (known != null) {
      return known.tryAcquireAsync(1);
    }
    RRateLimiter made = client.getRateLimiter("redisson:" + key);
    return made.trySetRateAsync(RateType.OVERALL, permits, per)
        .thenCompose(
            set -> {
              limiters.put(key, made);
              return made.tryAcquireAsync(1);
            });
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
