package dev.sluice.spring.actuate;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Whether the store answers. Where it does not, the status is {@code DEGRADED}, which is no reason
 * to take an instance out of service: each policy says what is answered meanwhile, and a fleet
 * whose store is out must not take itself away. {@code
 * management.endpoint.health.status.http-mapping} changes that.
 */
public final class SluiceHealthIndicator extends AbstractHealthIndicator {
  /** Answers are given without the store, as each policy says. */
  public static final Status DEGRADED =
      new Status("DEGRADED", "the store is out of reach; each policy says what is answered");

  private final Store store;
  private final RateLimiter probe;

  /** Asks the store of these limits, with a question that writes nothing. */
  public SluiceHealthIndicator(Sluice sluice) {
    this.store = sluice.store();
    this.probe =
        Sluice.of(store)
            .limiter(
                Policy.named("sluice-health")
                    .limits(List.of(Limit.tokenBucket(1, Duration.ofSeconds(1))))
                    .onStoreFailure(OnStoreFailure.DENY)
                    .build());
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    builder.withDetail("store", store.toString());
    try {
      probe.peek("probe");
      builder.up();
    } catch (StoreUnavailableException failure) {
      builder.status(DEGRADED).withDetail("reason", failure.reason());
    }
  }
}
