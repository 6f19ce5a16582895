package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Plan;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that share script calls, on a real server: exact together, and alone in what fails. */
class LanesTest {
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Duration HOUR = Duration.ofHours(1);

  private RedisServer server;
  private RedisStore store;
  private Sluice sluice;

  @BeforeEach
  void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
    store = Stores.patient(server.uri());
    sluice = Sluice.of(store);
    awaitWires(server);
  }

  @AfterEach
  void stop() {
    sluice.close();
    server.close();
  }

  private static void awaitWires(RedisServer server) {
    Await.until(SOON, () -> clients(server) >= 1 + Lanes.WIRES, "all connections are made");
  }

  private static long clients(RedisServer server) {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains("name=sluice"))
        .count();
  }

  private static RateLimiter denying(Sluice sluice, String policy, Limit limit) {
    return sluice.limiter(
        Policy.named(policy).limits(List.of(limit)).onStoreFailure(OnStoreFailure.DENY).build());
  }

  private long calls() {
    return String.valueOf(server.command("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_eval"))
        .mapToLong(line -> Long.parseLong(line.replaceAll(".*calls=(\\d+).*", "$1")))
        .sum();
  }

  @Test
  void manyThreadsGetExactlyTheLimitInFewCalls() throws Exception {
    RateLimiter limiter = denying(sluice, "test", Limit.tokenBucket(1_000, HOUR));
    long before = calls();
    ExecutorService threads = Executors.newFixedThreadPool(32);
    List<Future<Integer>> granted = new ArrayList<>();
    for (int t = 0; t < 32; t++) {
      granted.add(
          threads.submit(
              () -> {
                int own = 0;
                for (int i = 0; i < 50; i++) {
                  List<CompletableFuture<Decision>> later = new ArrayList<>();
                  later.add(limiter.tryAcquireAsync("k"));
                  later.add(limiter.tryAcquireAsync("k"));
                  own += limiter.tryAcquire("k").allowed() ? 1 : 0;
                  for (CompletableFuture<Decision> one : later) {
                    own += one.join().allowed() ? 1 : 0;
                  }
                }
                return own;
              }));
    }
    int sum = 0;
    for (Future<Integer> own : granted) {
      sum += own.get();
    }
    threads.shutdown();
    assertThat(sum).isEqualTo(1_000);
    assertThat(calls() - before).isLessThan(4_800 / 2);
  }

  @Test
  void costsOfAllSizesAddUpToTheLimit() {
    RateLimiter limiter = denying(sluice, "test", Limit.fixedWindow(1_000, Duration.ofDays(300)));
    List<CompletableFuture<Decision>> asked = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      asked.add(limiter.tryAcquireAsync("k", 1 + i % 7));
    }
    long taken = 0;
    for (CompletableFuture<Decision> one : asked) {
      Decision decision = one.join();
      taken += decision.allowed() ? decision.cost() : 0;
    }
    assertThat(taken).isEqualTo(1_000);
    assertThat(limiter.peek("k").remaining()).isZero();
  }

  @Test
  void poisonedKeysHarmNobodyBesideThem() {
    server.command("RPUSH", "sl:{test:list}", "x");
    server.command("SET", "sl:{test:text}", "not ours");
    RateLimiter limiter = denying(sluice, "test", Limit.tokenBucket(10, HOUR));
    List<CompletableFuture<Decision>> good = new ArrayList<>();
    List<CompletableFuture<Decision>> list = new ArrayList<>();
    List<CompletableFuture<Decision>> text = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      good.add(limiter.tryAcquireAsync("good:" + i));
      list.add(limiter.tryAcquireAsync("list"));
      text.add(limiter.tryAcquireAsync("text"));
    }
    assertThat(good).allMatch(one -> one.join().remaining() == 9);
    assertThat(list).extracting(LanesTest::reason).containsOnly("wrongtype");
    assertThat(text).extracting(LanesTest::reason).containsOnly("err");
    assertThat(server.command("TYPE", "sl:{test:list}")).hasToString("list");
    assertThat(store.health().breaker()).isEqualTo(BreakerState.CLOSED);
  }

  private static String reason(CompletableFuture<Decision> one) {
    try {
      return "decided " + one.join();
    } catch (CompletionException failed) {
      return ((StoreUnavailableException) failed.getCause()).reason();
    }
  }

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void fullMemoryIsToldToEachOfABatch(RedisBinary binary) {
    try (RedisServer full = RedisServer.on(binary).line("maxmemory-policy noeviction").start();
        RedisStore stored = Stores.patient(full.uri());
        Sluice limited = Sluice.of(stored)) {
      awaitWires(full);
      RateLimiter limiter = denying(limited, "test", Limit.tokenBucket(5, HOUR));
      full.command("CONFIG", "SET", "maxmemory", "1");
      List<CompletableFuture<Decision>> asked = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        asked.add(limiter.tryAcquireAsync("new:" + i % 50));
      }
      assertThat(asked).extracting(LanesTest::reason).containsOnly("oom");
      full.command("CONFIG", "SET", "maxmemory", "0");
      assertThat(limiter.tryAcquire("new:1").remaining()).isEqualTo(4);
    }
  }

  @Test
  void deadlineOfOneHarmsNoOther() {
    RateLimiter hasty =
        sluice.limiter(
            Policy.named("hasty")
                .limits(List.of(Limit.tokenBucket(10, HOUR)))
                .deadline(Duration.ofMillis(200))
                .onStoreFailure(OnStoreFailure.DENY)
                .build());
    RateLimiter patient = denying(sluice, "patient", Limit.tokenBucket(10, HOUR));
    server.suspend();
    List<CompletableFuture<Decision>> slow = new ArrayList<>();
    List<CompletableFuture<Decision>> quick = new ArrayList<>();
    // Fewer in all than open the breaker.
    for (int i = 0; i < 3; i++) {
      slow.add(patient.tryAcquireAsync("k"));
      quick.add(hasty.tryAcquireAsync("k"));
    }
    assertThat(quick).extracting(LanesTest::reason).containsOnly("timeout");
    assertThatThrownBy(() -> hasty.tryAcquire("k"))
        .hasMessage("redis: no decision for policy 'hasty' within 200 ms");
    server.resume();
    assertThat(slow).allMatch(one -> one.join().allowed());
    assertThat(patient.peek("k").remaining()).isEqualTo(7);
  }

  @Test
  void callerSeesWhatTheEndingMakesOfTheAnswer() {
    Plan plan = Plans.of("test", Limit.tokenBucket(1, HOUR));
    Request request = Request.acquire(plan, "k", 1);
    List<Decision> heard = new ArrayList<>();
    Decision other = Decision.unknown(request);
    CompletableFuture<Decision> ended =
        store.decideAsync(
            request,
            (answer, failure) -> {
              heard.add(answer);
              return other;
            });
    assertThat(ended.join()).isSameAs(other);
    assertThat(heard).singleElement().matches(Decision::allowed);
    IllegalStateException defect = new IllegalStateException("ending");
    assertThatThrownBy(
            store.decideAsync(
                    request,
                    (answer, failure) -> {
                      throw defect;
                    })
                ::join)
        .isInstanceOf(CompletionException.class)
        .hasCause(defect);
  }

  /** The interrupt of a virtual thread closes the socket from which it reads. */
  @Test
  void interruptedVirtualThreadGetsItsDecisionAndHarmsNoConnection() throws Exception {
    ExecutorService threads = virtualThreads();
    if (threads == null) {
      return;
    }
    RateLimiter limiter = denying(sluice, "test", Limit.tokenBucket(10, HOUR));
    List<String> before = ids(server);
    Future<Boolean> interrupted =
        threads.submit(
            () -> {
              Thread.currentThread().interrupt();
              return limiter.tryAcquire("k").allowed() && Thread.interrupted();
            });
    assertThat(interrupted.get()).isTrue();
    server.suspend();
    CompletableFuture<Thread> waiting = new CompletableFuture<>();
    Future<Decision> late =
        threads.submit(
            () -> {
              waiting.complete(Thread.currentThread());
              return limiter.tryAcquire("k");
            });
    Await.until(
        SOON,
        () -> waiting.join().getState() == Thread.State.TIMED_WAITING,
        "it waits for its decision");
    waiting.join().interrupt();
    server.resume();
    assertThat(late.get().remaining()).isEqualTo(8);
    assertThat(ids(server)).isEqualTo(before);
    threads.shutdown();
  }

  private static List<String> ids(RedisServer server) {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains("name=sluice"))
        .map(line -> line.substring(0, line.indexOf(' ')))
        .toList();
  }

  /** Null before Java 21, with a line that says so. */
  private static @Nullable ExecutorService virtualThreads() throws ReflectiveOperationException {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (NoSuchMethodException old) {
      System.out.println(
          "not run: Java " + Runtime.version().feature() + " has no virtual threads");
      return null;
    }
  }

  @Test
  void interruptThatACallbackLeavesDoesNotKeepTheLaneAwake() {
    Plan plan = Plans.of("test", Limit.tokenBucket(100, HOUR));
    server.suspend();
    CompletableFuture<Thread> lane =
        store
            .decideAsync(Request.acquire(plan, "k", 1))
            .thenApply(
                decision -> {
                  Thread.currentThread().interrupt();
                  return Thread.currentThread();
                });
    server.resume();
    assertThat(lane.join()).isInstanceOf(Lane.class);
    Await.until(SOON, () -> !lane.join().isInterrupted(), "the lane can sleep again");
  }

  /** Its lanes rest, and the thread that asks is a lane too, of the first store. */
  @Test
  void answerOfOneStoreAsksAnother() {
    try (RedisServer second = RedisServer.on(RedisBinary.bundled()).start();
        RedisStore other = Stores.patient(second.uri())) {
      awaitWires(second);
      Plan plan = Plans.of("test", Limit.tokenBucket(100, HOUR));
      CompletableFuture<Decision> last = CompletableFuture.completedFuture(null);
      for (int i = 0; i < 4; i++) {
        RedisStore asked = i % 2 == 0 ? store : other;
        last = last.thenCompose(before -> asked.decideAsync(Request.acquire(plan, "k", 1)));
      }
      assertThat(last.join().remaining()).isEqualTo(98);
    }
  }

  @Test
  void flushedScriptsReachNoCallerAndChargeNobodyTwice() {
    RateLimiter limiter =
        denying(sluice, "test", Limit.tokenBucket(1_000_000, HOUR.multipliedBy(240)));
    long granted = 0;
    for (int round = 0; round < 50; round++) {
      server.command("SCRIPT", "FLUSH");
      List<CompletableFuture<Decision>> asked = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        asked.add(limiter.tryAcquireAsync("k"));
      }
      granted += limiter.tryAcquire("k").allowed() ? 1 : 0;
      granted += asked.stream().filter(one -> one.join().allowed()).count();
    }
    assertThat(granted).isEqualTo(50 * 51);
    // What came back meanwhile is less than two a second.
    assertThat(1_000_000 - limiter.peek("k").remaining()).isBetween(granted - 60, granted);
  }
}
