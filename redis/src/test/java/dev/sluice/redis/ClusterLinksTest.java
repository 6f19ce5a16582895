package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ClusterLinksTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("sluice-redis-"))
        .collect(Collectors.toSet());
  }

  @Test
  void nodeThatIsFoundAfterTheCloseLeavesNoThreads() {
    Set<Thread> others = threads();
    RedisAddress address = RedisAddress.parse("redis-cluster://127.0.0.1:1,127.0.0.1:2");
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    ClusterLinks links =
        new ClusterLinks(address, RedisOptions.defaults(), timer, null, node -> {});
    links.to(address.nodes().get(0));
    links.close();
    Link late = links.to(address.nodes().get(1));
    Await.until(SOON, () -> others.containsAll(threads()), "all threads have ended");
    assertThat(late.connect()).isCompleted();
    timer.shutdownNow();
  }

  @Test
  void nodeThatIsFoundAgainWhileItIsForgottenHasLanesOfItsOwn() throws InterruptedException {
    Set<Thread> others = threads();
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      RedisAddress address = RedisAddress.parse("redis-cluster://127.0.0.1:" + server.port());
      RedisAddress.Node node = address.nodes().get(0);
      try (ClusterLinks links =
          new ClusterLinks(address, RedisOptions.defaults(), timer, null, lost -> {})) {
        Link first = links.to(node);
        first.connect().join();
        CompletableFuture<Void> busy = new CompletableFuture<>();
        CompletableFuture<Void> released = new CompletableFuture<>();
        server.suspend();
        CompletableFuture<Void> unused =
            first
                .command("PING")
                .thenAccept(
                    pong -> {
                      // Until this is over the thread that reads does not end its connection.
                      busy.complete(null);
                      released.join();
                    });
        server.resume();
        busy.join();
        Thread forgets = new Thread(() -> links.forgetOthers(Set.of()));
        forgets.start();
        Await.until(
            SOON, () -> forgets.getState() == Thread.State.WAITING, "the connection is to end");
        Link second = links.to(node);
        released.complete(null);
        forgets.join();
        second.connect().join();
        Await.until(SOON, () -> links.lanesTo(node) != null, "the new lanes are open");
      }
      Await.until(SOON, () -> others.containsAll(threads()), "all threads have ended");
    }
    timer.shutdownNow();
  }
}
