package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.redis.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that asks for one key of a leased policy, from one instant to another, and prints each
 * admission as it comes, so that it can be killed at any time.
 */
final class LeasedHammer {
  private LeasedHammer() {}

  /** Arguments: address, permits, period in milliseconds, pause in microseconds. */
  public static void main(String[] args) throws IOException {
    Limit limit =
        Limit.slidingLog(Long.parseLong(args[1]), Duration.ofMillis(Long.parseLong(args[2])));
    long pause = Long.parseLong(args[3]) * 1_000;
    try (RedisStore store = Stores.patient(args[0]);
        Sluice sluice = Sluice.of(store)) {
      Await.until(Duration.ofMinutes(2), store::ready, "it is connected");
      RateLimiter limiter =
          sluice.limiter(
              Policy.named("hammer")
                  .limits(List.of(limit))
                  .tier(Tier.LEASED)
                  .onStoreFailure(OnStoreFailure.DENY)
                  .build());
      limiter.tryAcquire("warm-up");
      System.out.println("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      long start = Long.parseLong(in.readLine());
      long end = Long.parseLong(in.readLine());
      for (long left; (left = start - System.nanoTime()) > 0; ) {
        LockSupport.parkNanos(left);
      }
      while (System.nanoTime() - end < 0) {
        long sent = System.nanoTime();
        Decision decision = limiter.tryAcquire("k");
        if (decision.allowed()) {
          System.out.println(
              new Admissions.Admission(sent, System.nanoTime(), decision.passesAtMicros(), 1));
        }
        LockSupport.parkNanos(pause);
      }
    }
  }
}
