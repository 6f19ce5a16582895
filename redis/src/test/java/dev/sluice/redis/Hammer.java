package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that asks for one key as often as it can stand, from one instant to another, and prints
 * what it was admitted. Instants are of {@link System#nanoTime}, which all processes of one machine
 * share.
 */
final class Hammer {
  private static final long PAUSE_NANOS = 3_000_000;

  private Hammer() {}

  /** Arguments: the address, permits, and the period in milliseconds. Instants come by stdin. */
  public static void main(String[] args) throws IOException {
    Limit limit =
        Limit.slidingLog(Long.parseLong(args[1]), Duration.ofMillis(Long.parseLong(args[2])));
    List<Admissions.Admission> admitted = new ArrayList<>();
    try (RedisStore store = Stores.patient(args[0]);
        Sluice sluice = Sluice.of(store)) {
      // Eight processes that start at once on two cores may well be too slow to connect at first.
      Await.until(Duration.ofMinutes(2), store::ready, "it is connected");
      RateLimiter limiter =
          sluice.limiter(
              Policy.named("hammer")
                  .limits(List.of(limit))
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
          admitted.add(
              new Admissions.Admission(sent, System.nanoTime(), decision.passesAtMicros()));
        } else {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }
    admitted.forEach(System.out::println);
  }
}
