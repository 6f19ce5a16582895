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
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that does as it is told, line by line, and says {@code done} after each:
 *
 * <ul>
 *   <li>{@code open URI} connects;
 *   <li>{@code run KEY PERMITS MOST_COST START END} asks as often as it can stand for a key of a
 *       sliding log, so many permits a second, and prints at once what it was admitted. Instants
 *       are of {@link System#nanoTime}, which all processes of one machine share;
 *   <li>{@code hold KEY PERMITS LEASE_MILLIS} takes them all for a lease, and never gives them
 *       back.
 * </ul>
 */
final class Hammer {
  private static final long PAUSE_NANOS = 3_000_000;

  private Sluice sluice = Sluice.inMemory();

  private Hammer() {}

  public static void main(String[] args) throws IOException {
    Hammer hammer = new Hammer();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "open" -> hammer.open(words[1]);
        case "run" -> hammer.run(words);
        case "hold" -> hammer.hold(words);
        default -> throw new IllegalArgumentException("command '%s': unknown".formatted(line));
      }
      System.out.println("done");
    }
    hammer.sluice.close();
  }

  private void open(String uri) {
    sluice.close();
    RedisStore store = Stores.patient(uri);
    sluice = Sluice.of(store);
    // Eight processes that start at once on two cores may well be too slow to connect at first.
    Await.until(Duration.ofMinutes(2), store::ready, "it is connected");
    limiter("warm-up", Limit.slidingLog(1, Duration.ofSeconds(1))).tryAcquire("k");
  }

  private RateLimiter limiter(String name, Limit limit) {
    return sluice.unlisted(
        Policy.named(name).limits(List.of(limit)).onStoreFailure(OnStoreFailure.DENY).build());
  }

  private void run(String[] words) {
    RateLimiter limiter =
        limiter("hammer", Limit.slidingLog(Long.parseLong(words[2]), Duration.ofSeconds(1)));
    long mostCost = Long.parseLong(words[3]);
    long start = Long.parseLong(words[4]);
    long end = Long.parseLong(words[5]);
    for (long left; (left = start - System.nanoTime()) > 0; ) {
      LockSupport.parkNanos(left);
    }
    while (System.nanoTime() - end < 0) {
      long cost = ThreadLocalRandom.current().nextLong(1, mostCost + 1);
      long sent = System.nanoTime();
      Decision decision = limiter.tryAcquire(words[1], cost);
      if (decision.allowed()) {
        System.out.println(
            new Admissions.Admission(sent, System.nanoTime(), decision.passesAtMicros(), cost));
      } else {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void hold(String[] words) {
    long permits = Long.parseLong(words[2]);
    Duration lease = Duration.ofMillis(Long.parseLong(words[3]));
    if (!limiter("hold", Limit.concurrency(permits).lease(lease))
        .tryAcquire(words[1], permits)
        .allowed()) {
      throw new IllegalStateException("key '%s': must be free".formatted(words[1]));
    }
  }
}
