package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.testkit.Await;
import java.time.Duration;
import java.util.Set;
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
}
