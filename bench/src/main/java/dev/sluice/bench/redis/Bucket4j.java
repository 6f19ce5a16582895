package dev.sluice.bench.redis;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.github.bucket4j.redis.lettuce.cas.LettuceBasedProxyManager;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Bucket4j over Lettuce. A bucket is kept for each key, as its batching needs. */
final class Bucket4j implements Subject {
  private final LettuceBasedProxyManager<byte[]> manager;
  private final BucketConfiguration configuration;
  private final Optimization optimization;
  private final Map<String, BucketProxy> buckets = new ConcurrentHashMap<>();
  private final Map<String, AsyncBucketProxy> asyncBuckets = new ConcurrentHashMap<>();

  Bucket4j(RedisClient client, long permits, Duration per, Optimization optimization) {
    this.manager =
        Bucket4jLettuce.casBasedBuilder(client)
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                    Duration.ofSeconds(1)))
            .build();
    this.configuration =
        BucketConfiguration.builder()
            .addLimit(limit -> limit.capacity(permits).refillGreedy(permits, per))
            .build();
    this.optimization = optimization;
  }

  private static byte[] bytes(String key) {
    return ("bucket4j:" + key).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public boolean ask(String key) {
    return buckets
        .computeIfAbsent(
            key,
            unknown ->
                manager
                    .builder()
                    .withOptimization(optimization)
                    .build(bytes(unknown), () -> configuration))
        .tryConsume(1);
  }

  @Override
  public CompletionStage<Boolean> askAsync(String key) {
    return asyncBuckets
        .computeIfAbsent(
            key,
            unknown ->
                manager
                    .asAsync()
                    .builder()
                    .withOptimization(optimization)
                    .build(
                        bytes(unknown), () -> CompletableFuture.completedFuture(configuration)))
        .tryConsume(1);
  }

  @Override
  public void close() {
    buckets.clear();
  }
}
