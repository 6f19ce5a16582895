package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisCluster;
import dev.sluice.redis.testkit.RedisSentinel;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.TlsFiles;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The short way is open wherever it should be: without it everything works too, only slower. */
class WiresTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final Plan PLAN = Plans.of("test", Limit.tokenBucket(10, Duration.ofHours(1)));

  private static void awaitWires(RedisStore store, RedisServer server) {
    Await.until(SOON, () -> store.lanes(PLAN, "k") != null, "a wire is open");
    Await.until(SOON, () -> clients(server) == 1 + Lanes.WIRES, "all connections are made");
    assertThat(store.decide(Request.acquire(PLAN, "k", 1)).allowed()).isTrue();
    assertThat(store.decideAsync(Request.acquire(PLAN, "k", 1)).join().allowed()).isTrue();
  }

  private static long clients(RedisServer server) {
    return String.valueOf(server.command("CLIENT", "LIST"))
        .lines()
        .filter(line -> line.contains("name=sluice") && !line.contains("cmd=sentinel"))
        .count();
  }

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @ParameterizedTest
  @MethodSource("servers")
  void leastRightsAndADatabase(RedisBinary binary) {
    try (RedisServer server = RedisServer.on(binary).start()) {
      server.command(("ACL SETUSER sluice on >secret " + Acl.rules()).split(" ", -1));
      try (RedisStore store = Stores.patient(server.uri("sluice", "secret") + "/3")) {
        awaitWires(store, server);
      }
    }
  }

  @Test
  void overTls() {
    RedisBinary binary =
        RedisBinary.all().stream().filter(RedisBinary::supportsTls).findFirst().orElseThrow();
    try (TlsFiles files = TlsFiles.create();
        RedisServer server = RedisServer.on(binary).tls(files.good()).start();
        RedisStore store =
            RedisStore.connect(
                RedisAddress.parse(server.uri()),
                RedisOptions.defaults()
                    .withAuthority(files.authority())
                    .withDeadline(Stores.PATIENCE))) {
      awaitWires(store, server);
    }
  }

  @Test
  void followTheSentinels() {
    try (RedisSentinel sentinel = RedisSentinel.start(RedisBinary.bundled());
        RedisStore store = Stores.patient(sentinel.uri())) {
      RedisServer old = sentinel.primary();
      awaitWires(store, old);
      sentinel.failover();
      Await.until(SOON, () -> clients(old) == 0, "the old primary is left");
      awaitWires(store, sentinel.primary());
    }
  }

  @Test
  void leadToEachNodeOfACluster() {
    try (RedisCluster cluster = RedisCluster.start(RedisBinary.bundled());
        RedisStore store = Stores.patient(cluster.uri())) {
      Set<Object> nodes = new HashSet<>();
      List<CompletableFuture<Decision>> asked = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String key = "k" + i;
        Await.until(SOON, () -> store.lanes(PLAN, key) != null, "a wire is open");
        nodes.add(store.lanes(PLAN, key).node());
      }
      for (int i = 0; i < 1_000; i++) {
        asked.add(store.decideAsync(Request.acquire(PLAN, "k" + i % 50, 1)));
      }
      assertThat(nodes).hasSize(3);
      assertThat(asked.stream().filter(one -> one.join().allowed())).hasSize(500);
    }
  }

  @Test
  void wireWhoseServerHangsIsNotAskedForEver() throws Exception {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      RedisAddress address = RedisAddress.parse(server.uri());
      // Enough for a server that answers, also on a busy machine; one that hangs takes all of it.
      RedisOptions options = RedisOptions.defaults().withConnectTimeout(Duration.ofSeconds(3));
      Wire wire = Wire.open(address, options, address.nodes().get(0));
      assertThat(wire.alive()).isTrue();
      server.suspend();
      assertThat(CompletableFuture.supplyAsync(wire::alive)).succeedsWithin(SOON).isEqualTo(false);
      server.resume();
      wire.close();
    }
  }

  @Test
  void wireThatWasClosedIsGivenToNobody() throws Exception {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      RedisAddress address = RedisAddress.parse(server.uri());
      Lanes lanes = new Lanes("it", 1, address, Stores.patience(), timer, null);
      Wire wire = Wire.open(address, Stores.patience(), address.nodes().get(0));
      lanes.add(wire);
      wire.close();
      assertThat(lanes.takeWire()).isNull();
      assertThat(lanes.usable()).isFalse();
    } finally {
      timer.shutdownNow();
    }
  }

  /** Where there is nothing to do, and where nobody listens. */
  @ParameterizedTest
  @NullSource
  @ValueSource(ints = 1)
  void interruptThatACallbackLeavesDoesNotKeepTheWiringAwake(Integer port) throws Exception {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    RedisAddress address = RedisAddress.parse("redis://127.0.0.1:1");
    Lanes lanes = new Lanes("it", 1, address, Stores.patience(), timer, null);
    Wiring wiring = new Wiring(address, Stores.patience(), lanes);
    wiring.to(port == null ? null : new RedisAddress.Node("127.0.0.1", port));
    Thread thread = new Thread(wiring);
    thread.start();
    for (int times = 0; times < 3; times++) {
      thread.interrupt();
      Await.until(SOON, () -> !thread.isInterrupted(), "the thread can sleep again");
    }
    wiring.close();
    LockSupport.unpark(thread);
    thread.join();
    timer.shutdownNow();
  }

  @Test
  void wireThatTheServerClosedIsMadeAnew() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start();
        RedisStore store = Stores.patient(server.uri())) {
      awaitWires(store, server);
      server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      Await.until(SOON, () -> clients(server) == 1 + Lanes.WIRES, "all connections are made");
      awaitWires(store, server);
    }
  }
}
