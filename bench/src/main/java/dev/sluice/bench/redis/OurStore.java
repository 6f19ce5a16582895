package dev.sluice.bench.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.redis.RedisAddress;
import dev.sluice.redis.RedisOptions;
import dev.sluice.redis.RedisStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Sluice, asked as its users ask it; a failure of the store ends the run. */
final class OurStore implements Subject {
  private final Sluice sluice;
  private final RateLimiter limiter;

  OurStore(String uri, String policy, Tier tier, Limit... limits) {
    this.sluice =
        Sluice.of(
            RedisStore.connect(
                RedisAddress.parse(uri),
                RedisOptions.defaults().withDeadline(Duration.ofSeconds(5))));
    this.limiter =
        sluice.limiter(
            Policy.named(policy)
                .limits(List.of(limits))
                .tier(tier)
                .onStoreFailure(OnStoreFailure.DENY)
                .build());
  }

  @Override
  public boolean ask(String key) {
    return limiter.tryAcquire(key).allowed();
  }

  @Override
  public CompletionStage<Boolean> askAsync(String key) {
    return limiter.tryAcquireAsync(key).thenApply(Decision::allowed);
  }

  @Override
  public void close() {
    sluice.close();
  }
}
