package dev.sluice.redis;

import static dev.sluice.redis.Outcomes.BACK;
import static dev.sluice.redis.Outcomes.HUGE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What callers see when a real server dies, flaps or loses an answer, and that nobody is charged
 * twice.
 */
@ParameterizedClass
@MethodSource("servers")
class RedisStoreFaultTest {
  // Long enough for a machine that does other things too, short enough to wait for.
  private static final Duration HASTE = Duration.ofMillis(200);

  @Parameter RedisBinary binary;
  private RedisServer server;
  private TcpProxy proxy;

  static List<RedisBinary> servers() {
    return RedisBinary.all();
  }

  @BeforeEach
  void start() {
    server = RedisServer.on(binary).start();
    proxy = TcpProxy.to(server.port());
  }

  @AfterEach
  void stop() {
    proxy.close();
    server.close();
  }

  private String proxied() {
    return "redis://127.0.0.1:" + proxy.port();
  }

  private static RedisStore hasty(String uri) {
    return Stores.withDeadline(uri, HASTE);
  }

  @ParameterizedTest
  @EnumSource(OnStoreFailure.class)
  void deadServerIsAnsweredByPolicy(OnStoreFailure policy) {
    try (Sluice sluice = Sluice.of(hasty(server.uri()))) {
      RateLimiter limiter =
          sluice.limiter(
              Policy.named("test")
                  .limits(List.of(Limit.fixedWindow(4, Duration.ofHours(1))))
                  .nodes(2)
                  .onStoreFailure(policy)
                  .build());
      server.kill9();
      List<String> answers = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        try {
          Decision decision = limiter.tryAcquire("k");
          assertThat(decision.degraded()).isTrue();
          answers.add(decision.allowed() ? "allowed" : "denied");
        } catch (StoreUnavailableException failure) {
          answers.add("failed");
        }
      }
      assertThat(answers)
          .containsExactlyElementsOf(
              switch (policy) {
                case ALLOW -> java.util.Collections.nCopies(6, "allowed");
                case DENY -> java.util.Collections.nCopies(6, "failed");
                case LOCAL -> List.of("allowed", "allowed", "denied", "denied", "denied", "denied");
              });
    }
  }

  @Test
  void serverThatComesBackIsUsedAgainWithoutARestart() {
    try (Sluice sluice = Sluice.of(hasty(server.uri()))) {
      RateLimiter limiter = sluice.limiter("test", HUGE);
      for (int i = 0; i < 3; i++) {
        Await.until(BACK, () -> !limiter.tryAcquire("k").degraded(), "the server decides");
        server.kill9();
        Await.until(BACK, () -> limiter.tryAcquire("k").degraded(), "the server is missed");
        server.restart();
        Await.until(BACK, () -> !limiter.tryAcquire("k").degraded(), "the server is back");
      }
      RedisStore store = (RedisStore) sluice.store();
      Await.until(BACK, () -> store.health().stateLosses() == 3, "three losses are counted");
    }
  }

  @Test
  void flappingServerIsNotStormedWithConnections() {
    try (Sluice sluice = Sluice.of(hasty(proxied()))) {
      RateLimiter limiter = sluice.limiter("test", HUGE);
      long before = proxy.connections();
      for (int i = 0; i < 10; i++) {
        proxy.refuse();
        proxy.cut();
        long down = System.nanoTime();
        Await.until(BACK, () -> busyUntil(limiter, down + 100_000_000L), "100 ms of load");
        proxy.accept();
        long up = System.nanoTime();
        Await.until(BACK, () -> busyUntil(limiter, up + 100_000_000L), "100 ms of load");
      }
      // Each time it was up, Lettuce's and the wires, or twice as many where one was cut while it
      // was being made.
      assertThat(proxy.connections() - before).isLessThanOrEqualTo(20L * (1 + Lanes.WIRES));
      Await.until(BACK, () -> !limiter.tryAcquire("k").degraded(), "the server is back");
    }
  }

  private static boolean busyUntil(RateLimiter limiter, long nanos) {
    limiter.tryAcquire("k");
    return System.nanoTime() - nanos > 0;
  }

  @Test
  void lostReplyIsAFailureAndChargedOnce() {
    try (Sluice sluice = Sluice.of(Stores.patient(proxied()))) {
      RateLimiter limiter = Outcomes.denying(sluice, HUGE);
      limiter.tryAcquire("k");
      for (int i = 1; i <= 3; i++) {
        awaitQuiet();
        proxy.cutAfterRequest();
        assertThatThrownBy(() -> limiter.tryAcquire("k"))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessage(
                "redis: no decision for policy 'test': the connection was lost before the answer");
        Await.until(BACK, () -> Outcomes.decided(limiter, "other"), "it reconnects");
        assertThat(Outcomes.used(limiter, "k")).isEqualTo(1 + i);
      }
    }
  }

  /**
   * Waits until the check that follows each connection is over: the cut is meant for a decision.
   */
  private void awaitQuiet() {
    AtomicLong seen = new AtomicLong();
    AtomicLong since = new AtomicLong();
    Await.until(
        BACK,
        () -> {
          long now = System.nanoTime();
          if (seen.getAndSet(proxy.commands()) != proxy.commands()) {
            since.set(now);
          }
          return now - since.get() > 300_000_000L;
        },
        "no command comes for a while");
  }

  @Test
  void timedOutCallIsNeverSentAgain() {
    try (Sluice sluice = Sluice.of(hasty(proxied()))) {
      RateLimiter limiter = Outcomes.denying(sluice, HUGE);
      Outcomes.awaitDecided(limiter);
      proxy.delay(Duration.ofSeconds(1));
      assertThatThrownBy(() -> limiter.tryAcquire("k"))
          .hasMessage("redis: no decision for policy 'test' within 200 ms");
      assertThatThrownBy(() -> limiter.tryAcquireAsync("k").join())
          .hasRootCauseMessage("redis: no decision for policy 'test' within 200 ms");
      proxy.delay(Duration.ZERO);
      Await.until(BACK, () -> Outcomes.decided(limiter, "other"), "it is fast again");
      assertThat(Outcomes.used(limiter, "k")).isEqualTo(2);
    }
  }

  @Test
  void policyCanWaitLongerThanTheStore() {
    try (Sluice sluice = Sluice.of(hasty(proxied()))) {
      proxy.delay(Duration.ofMillis(500));
      RateLimiter limiter =
          sluice.limiter(
              Policy.named("slow").limits(List.of(HUGE)).deadline(Stores.PATIENCE).build());
      assertThat(limiter.tryAcquire("k").degraded()).isFalse();
    }
  }

  @Test
  void storeThatIsOutOfReachAtStartIsConnectedToLater() {
    proxy.refuse();
    try (RedisStore store = hasty(proxied());
        Sluice sluice = Sluice.of(store)) {
      RateLimiter limiter = Outcomes.denying(sluice, HUGE);
      assertThatThrownBy(() -> limiter.tryAcquire("k"))
          .hasMessage(
              "redis: no decision for policy 'test': not connected to redis://127.0.0.1:"
                  + proxy.port());
      assertThat(store.ready()).isFalse();
      proxy.accept();
      Await.until(BACK, () -> Outcomes.decided(limiter, "k"), "it decides");
      assertThat(store.ready()).isTrue();
    }
  }

  @Test
  void interruptedCallerGetsHisDecisionAndKeepsTheInterrupt() {
    try (Sluice sluice = Sluice.of(Stores.patient(server.uri()))) {
      RateLimiter limiter = Outcomes.denying(sluice, HUGE);
      Thread.currentThread().interrupt();
      assertThat(limiter.tryAcquire("k").allowed()).isTrue();
      assertThat(Thread.interrupted()).isTrue();
    }
  }
}
