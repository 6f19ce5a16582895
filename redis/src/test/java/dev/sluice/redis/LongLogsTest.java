package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Logs that are never empty for so long that their running totals start again. */
class LongLogsTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Store OWNER = new InMemoryStore();

  @Test
  void totalsThatStartAgainChangeNothing() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      assertThat(firstDifference(server, UnaryOperator.identity())).isNull();
    }
  }

  /** The first answer that differs from that of the memory store, or null. */
  static String firstDifference(RedisServer server, UnaryOperator<String> change) {
    try (Pipeline pipeline = new Pipeline(server, change)) {
      String log = walk(pipeline, Limit.slidingLog(Limit.MOST_LOGGED_PERMITS, SECOND), 100);
      // As many as a total of 52 bits takes to go round.
      return log == null
          ? walk(pipeline, Limit.slidingWindow(Limit.MOST_PERMITS, SECOND), 20_000)
          : log;
    }
  }

  private static String walk(Pipeline pipeline, Limit limit, int steps) {
    pipeline.command("FLUSHALL");
    Plan plan = Plans.of("long", limit);
    FakeClock clock = new FakeClock();
    List<Decision> expected = new ArrayList<>();
    List<Call> calls = new ArrayList<>();
    try (Store reference = InMemoryStore.keepingAll(clock)) {
      for (int i = 0; i < steps; i++) {
        clock.advanceMicros(300_000 + i % 7);
        Request request = Request.acquire(plan, "k", limit.permits() / 3 + i % 5);
        expected.add(reference.decide(request));
        calls.add(Call.of(List.of(request), OWNER, 0).at(clock.nowMicros()));
      }
    }
    List<Object> replies = pipeline.run(calls);
    for (int i = 0; i < steps; i++) {
      if (!(replies.get(i) instanceof List<?> numbers)) {
        return "step %d: got %s".formatted(i, replies.get(i));
      }
      Request request = Request.acquire(plan, "k", expected.get(i).cost());
      List<Object> reply = new ArrayList<>(numbers);
      Decision got = Reply.decode(List.of(request), reply).get(0);
      if (!Twin.same(got, expected.get(i))) {
        return "step %d: expected %s, got %s".formatted(i, expected.get(i), got);
      }
    }
    return null;
  }
}
