package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisCluster;
import dev.sluice.redis.testkit.RedisSentinel;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.Resp;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Unix socket, Sentinel and Cluster, of real processes, whole and while they change. */
class TopologyTest {
  private static final Duration BACK = Duration.ofSeconds(20);
  private static final Limit HUGE = Limit.fixedWindow(1_000_000, Duration.ofDays(30));

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  private static RateLimiter denying(Sluice sluice, String name, Limit limit) {
    return sluice.limiter(
        Policy.named(name).limits(List.of(limit)).onStoreFailure(OnStoreFailure.DENY).build());
  }

  private static boolean decides(RateLimiter limiter, String key) {
    try {
      return limiter.tryAcquire(key).allowed();
    } catch (StoreUnavailableException notYet) {
      return false;
    }
  }

  private static long used(RateLimiter limiter, String key) {
    return 1_000_000 - limiter.peek(key).remaining();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void unixSocket(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).unixSocket().password("s/e@c").start();
        Sluice sluice =
            Sluice.of(Stores.patient("redis-socket://:s%2Fe%40c@" + server.unixSocket()))) {
      RateLimiter limiter = denying(sluice, "api", HUGE);
      assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void databaseOtherThanZero(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).start();
        Sluice sluice = Sluice.of(Stores.patient(server.uri() + "/3"))) {
      denying(sluice, "api", HUGE).tryAcquire("k");
      assertThat(String.valueOf(server.command("INFO", "keyspace"))).contains("db3:keys=1");
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void sentinelFailoverNeedsNoRestart(RedisBinary binary) {
    try (RedisSentinel sentinel = RedisSentinel.start(binary, config -> config.password("p"));
        Sluice sluice = Sluice.of(Stores.withDeadline(sentinel.uri(), Duration.ofMillis(500)))) {
      RateLimiter limiter = denying(sluice, "api", HUGE);
      assertThat(limiter.tryAcquire("before").allowed()).isTrue();

      // The old primary stays up and keeps its connections until it is told that it is none.
      sentinel.failover();
      Await.until(BACK, () -> decides(limiter, "planned"), "the new primary decides");
      assertThat(used(limiter, "before")).isEqualTo(1);

      RedisServer dead = sentinel.killPrimary();
      sentinel.awaitNewPrimary(dead);
      Await.until(BACK, () -> decides(limiter, "killed"), "the next primary decides");
      assertThat(used(limiter, "before")).isEqualTo(1);
    }
  }

  private static Set<String> keys(RedisServer server) {
    return Resp.asList(server.command("KEYS", "sl:*")).stream()
        .map(Object::toString)
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @MethodSource("servers")
  void clusterDecidesOnEveryNodeUnderTheLeastAcl(RedisBinary binary) {
    try (RedisCluster cluster =
            RedisCluster.start(
                binary,
                config ->
                    config
                        .user("default", "on nopass ~* &* +@all")
                        .user("sluice", "on >secret " + Acl.rules()));
        Sluice sluice =
            Sluice.of(
                Stores.patient(
                    cluster.uri().replace("redis-cluster://", "redis-cluster://sluice:secret@")))) {
      RateLimiter limiter = denying(sluice, "api", HUGE);
      for (int i = 0; i < 100; i++) {
        assertThat(limiter.tryAcquire("user:" + i).allowed()).isTrue();
      }
      assertThat(cluster.primaries()).allMatch(node -> !keys(node).isEmpty());
      together(sluice);
    }
  }

  /** Checks whose keys lie on several nodes: given back at the first denial, in whatever order. */
  private static void together(Sluice sluice) {
    RateLimiter wide = sluice.limiter("wide", Limit.tokenBucket(5, Duration.ofDays(1)));
    RateLimiter log = sluice.limiter("log", Limit.slidingLog(5, Duration.ofDays(1)));
    RateLimiter held = sluice.limiter("held", Limit.concurrency(5).lease(Duration.ofDays(1)));
    RateLimiter last = sluice.limiter("last", Limit.fixedWindow(1, Duration.ofDays(30)));
    List<Check> checks =
        List.of(
            new Check("wide", "a", 2),
            new Check("log", "b"),
            new Check("held", "c"),
            new Check("last", "d"));
    List<Decision> allowed = sluice.tryAcquireTogether(checks);
    assertThat(allowed).allMatch(Decision::allowed);
    assertThat(allowed).extracting(Decision::remaining).containsExactly(3L, 4L, 4L, 0L);
    List<Decision> denied = sluice.tryAcquireTogether(checks);
    assertThat(denied).extracting(Decision::allowed).containsExactly(true, true, true, false);
    assertThat(List.of(wide.peek("a"), log.peek("b"), held.peek("c"), last.peek("d")))
        .extracting(Decision::remaining)
        .containsExactly(3L, 4L, 4L, 0L);
  }

  @Test
  void deadNodeOfAClusterStopsItsOwnSlotsOnlyAndLossesAreCounted() {
    try (RedisCluster cluster =
            RedisCluster.start(
                RedisBinary.bundled(), config -> config.line("cluster-require-full-coverage no"));
        RedisStore store = Stores.withDeadline(cluster.uri(), Duration.ofMillis(500));
        Sluice sluice = Sluice.of(store)) {
      RateLimiter limiter = denying(sluice, "api", HUGE);
      RedisServer forgetful = cluster.primaries().get(1);
      forgetful.kill9();
      forgetful.restart();
      Await.until(BACK, () -> store.health().stateLosses() == 1, "its loss of memory is noticed");
      cluster.awaitReady();
      Await.until(BACK, store::ready, "all nodes are back");
      Map<RedisServer, String> keyOn = new HashMap<>();
      Map<String, Long> used = new TreeMap<>();
      for (int i = 0; keyOn.size() < 3; i++) {
        String key = "user:" + i;
        keyOn.putIfAbsent(cluster.primaryOf("{api:" + key + "}"), key);
      }
      for (String key : keyOn.values()) {
        assertThat(limiter.tryAcquire(key).allowed()).isTrue();
        used.put(key, 1L);
      }
      RedisServer victim = cluster.primaries().get(0);
      int slot = cluster.slotOf("{api:" + keyOn.get(victim) + "}");
      String stopped = keyOn.get(victim);
      victim.kill9();
      // The others go on while it is dead, and while its replica takes over.
      Await.until(
          BACK,
          () -> {
            for (String key : keyOn.values()) {
              if (!key.equals(stopped)) {
                assertThat(limiter.tryAcquire(key).allowed()).isTrue();
                used.merge(key, 1L, Long::sum);
              }
            }
            return decides(limiter, stopped);
          },
          "the slots of the dead node are served again");
      assertThat(cluster.awaitNewPrimary(slot, victim)).isNotEqualTo(victim);
      for (String key : keyOn.values()) {
        if (!key.equals(stopped)) {
          assertThat(used(limiter, key)).isEqualTo(used.get(key));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void reshardingReachesNoCallerAndChargesNobodyTwice(RedisBinary binary) throws Exception {
    try (RedisCluster cluster = RedisCluster.start(binary);
        Sluice sluice = Sluice.of(Stores.patient(cluster.uri()))) {
      // Two limits and a reservation: several keys in one slot, which can be half moved.
      RateLimiter limiter =
          sluice.limiter(
              Policy.named("api")
                  .limits(List.of(HUGE, Limit.tokenBucket(1_000_000, Duration.ofDays(30))))
                  .onStoreFailure(OnStoreFailure.DENY)
                  .build());
      int slot = cluster.slotOf("{api:hot}");
      int home = cluster.nodes().indexOf(cluster.primaryOf(slot));
      int other = home == 0 ? 1 : 0;
      AtomicBoolean running = new AtomicBoolean(true);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      List<Future<Long>> counts =
          IntStream.range(0, 2)
              .mapToObj(
                  t ->
                      threads.submit(
                          () -> {
                            long admitted = 0;
                            while (running.get()) {
                              assertThat(limiter.tryAcquire("hot").allowed()).isTrue();
                              admitted++;
                            }
                            return admitted;
                          }))
              .toList();
      for (int i = 0; i < 10; i++) {
        cluster.migrateSlot(slot, cluster.nodes().get(i % 2 == 0 ? other : home));
      }
      running.set(false);
      long admitted = 0;
      for (Future<Long> count : counts) {
        admitted += count.get();
      }
      threads.shutdown();
      assertThat(used(limiter, "hot")).isEqualTo(admitted);
    }
  }
}
