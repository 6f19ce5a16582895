package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.CalendarUnit;
import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Reservation;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.Resp;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * At {@code maxmemory} with noeviction: keys that are there are decided as ever, new ones are left
 * to the policy, and nothing grows.
 */
class FullMemoryTest {
  private static final int PERMITS = 6;
  private static final Duration MONTH = Duration.ofDays(30);

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  private static List<List<Limit>> policies() {
    Limit bucket = Limit.tokenBucket(PERMITS, MONTH);
    Limit log = Limit.slidingLog(PERMITS, MONTH);
    Limit window = Limit.fixedWindow(PERMITS, MONTH);
    Limit leases = Limit.concurrency(PERMITS).lease(MONTH);
    return List.of(
        List.of(bucket),
        List.of(bucket.initial(PERMITS - 1)),
        List.of(window),
        List.of(Limit.counter(PERMITS, MONTH)),
        List.of(Limit.calendarWindow(PERMITS, CalendarUnit.YEAR, ZoneOffset.UTC)),
        List.of(log),
        List.of(Limit.slidingWindow(PERMITS, MONTH)),
        List.of(Limit.leakyBucket(PERMITS, MONTH).queue(PERMITS - 1)),
        List.of(leases),
        List.of(bucket, window),
        List.of(log, bucket, leases));
  }

  private static RateLimiter limiter(Sluice sluice, String name, List<Limit> limits) {
    return sluice.limiter(
        Policy.named(name).limits(limits).onStoreFailure(OnStoreFailure.DENY).build());
  }

  private static String outcome(RateLimiter limiter, String key) {
    try {
      return limiter.tryAcquire(key).allowed() ? "allowed" : "denied";
    } catch (StoreUnavailableException failure) {
      return failure.reason();
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void keysThatAreThereStayExactAndNewOnesAreLeftToThePolicy(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).line("maxmemory-policy noeviction").start();
        RedisStore store = Stores.patient(server.uri());
        Sluice sluice = Sluice.of(store)) {
      List<RateLimiter> limiters = new ArrayList<>();
      List<Long> left = new ArrayList<>();
      for (List<Limit> limits : policies()) {
        RateLimiter limiter = limiter(sluice, "p" + limiters.size(), limits);
        limiters.add(limiter);
        left.add(limiter.tryAcquire("known").remaining());
      }
      fill(server);
      long keys = keys(server);
      for (int i = 0; i < limiters.size(); i++) {
        RateLimiter limiter = limiters.get(i);
        List<String> outcomes =
            IntStream.rangeClosed(0, left.get(i).intValue())
                .mapToObj(call -> outcome(limiter, "known"))
                .toList();
        assertThat(outcomes)
            .as("%s", limiter)
            .containsOnly("allowed", "denied")
            .containsOnlyOnce("denied")
            .endsWith("denied");
        for (int call = 0; call < 20; call++) {
          assertThat(outcome(limiter, "new:" + call)).as("%s", limiter).isEqualTo("oom");
        }
      }
      assertThat(keys(server)).isEqualTo(keys);
      assertThat(mortal(server)).isTrue();
      assertThat(store.health().breaker()).isEqualTo(BreakerState.CLOSED);

      server.command("CONFIG", "SET", "maxmemory", "0");
      assertThat(outcome(limiters.get(0), "new:0")).isEqualTo("allowed");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void whatIsGivenBackComesBack(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).line("maxmemory-policy noeviction").start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      List<RateLimiter> limiters = new ArrayList<>();
      List<Reservation> reservations = new ArrayList<>();
      List<Decision> taken = new ArrayList<>();
      for (List<Limit> limits : policies()) {
        RateLimiter limiter = limiter(sluice, "p" + limiters.size(), limits);
        limiters.add(limiter);
        taken.add(limiter.tryAcquire("known"));
        reservations.add(limiter.reserve("known", 2, MONTH, Duration.ofHours(1)));
      }
      fill(server);
      for (int i = 0; i < limiters.size(); i++) {
        RateLimiter limiter = limiters.get(i);
        assertThat(limiter.cancel(reservations.get(i).id())).as("%s", limiter).isTrue();
        assertThat(limiter.peek("known").remaining())
            .as("%s", limiter)
            .isEqualTo(taken.get(i).remaining());
        assertThat(limiter.force("known", 1).allowed()).as("%s", limiter).isTrue();
        taken.get(i).lease().ifPresent(lease -> assertThat(sluice.release(lease)).isTrue());
        limiter.reset("known");
        assertThat(limiter.peek("known").remaining()).isGreaterThan(taken.get(i).remaining());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void oneNewKeyAmongSeveralLeavesTheOthersUncharged(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).line("maxmemory-policy noeviction").start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      List<RateLimiter> tenants = new ArrayList<>();
      for (List<Limit> limits : policies()) {
        RateLimiter tenant = limiter(sluice, "p" + tenants.size(), limits);
        tenant.tryAcquire("known");
        tenants.add(tenant);
      }
      limiter(sluice, "address", List.of(Limit.slidingLog(PERMITS, MONTH)));
      fill(server);
      long keys = keys(server);
      for (RateLimiter tenant : tenants) {
        long before = tenant.peek("known").remaining();
        String policy = tenant.policy().name();
        List<Check> checks = List.of(new Check(policy, "known"), new Check("address", policy));
        assertThat(reason(sluice, checks)).as("%s", tenant).isEqualTo("oom");
        assertThat(tenant.peek("known").remaining()).as("%s", tenant).isEqualTo(before);
      }
      assertThat(keys(server)).isEqualTo(keys);
    }
  }

  private static String reason(Sluice sluice, List<Check> checks) {
    try {
      return sluice.tryAcquireTogether(checks).toString();
    } catch (StoreUnavailableException failure) {
      return failure.reason();
    }
  }

  /** Somebody else's data take all that there is. */
  private static void fill(RedisServer server) {
    server.command("SET", "somebody", "x".repeat(1_000_000));
    server.command("CONFIG", "SET", "maxmemory", "1000000");
  }

  private static long keys(RedisServer server) {
    return Resp.asLong(server.command("DBSIZE"));
  }

  private static boolean mortal(RedisServer server) {
    return Resp.asList(server.command("KEYS", Acl.KEY_PREFIX + "*")).stream()
        .allMatch(key -> Resp.asLong(server.command("PTTL", key.toString())) > 0);
  }
}
