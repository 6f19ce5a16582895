package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Request.Mode;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** More leases than the script changes at a time, which a random history hardly ever has. */
class ManyLeasesTest {
  private static final int HELD = 250;
  private static final Duration LEASE = Duration.ofSeconds(1);
  private static final Plan PLAN = Plans.of("held", Limit.concurrency(2 * HELD).lease(LEASE));
  private static final Store OWNER = new InMemoryStore();

  @Test
  void clockStepBackShortensAllLeases() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      assertThat(firstDifference(server, UnaryOperator.identity())).isNull();
    }
  }

  /** The first answer that differs from that of the memory store, or null. */
  static String firstDifference(RedisServer server, UnaryOperator<String> change) {
    FakeClock clock = new FakeClock();
    try (Store reference = InMemoryStore.keepingAll(clock);
        Pipeline pipeline = new Pipeline(server, change)) {
      pipeline.command("FLUSHALL");
      String difference = null;
      for (int i = 0; i < HELD && difference == null; i++) {
        difference = ask(Mode.ACQUIRE, "id" + i, clock, reference, pipeline);
      }
      clock.advance(LEASE.multipliedBy(-3));
      difference =
          difference == null ? ask(Mode.ACQUIRE, "late", clock, reference, pipeline) : difference;
      // Nobody comes by before they end: whoever did would shorten more of them.
      clock.advance(LEASE);
      return difference == null ? ask(Mode.PEEK, "", clock, reference, pipeline) : difference;
    }
  }

  private static String ask(
      Mode mode, String id, FakeClock clock, Store reference, Pipeline pipeline) {
    List<Request> request = List.of(new Request(PLAN, "k", 1, mode, 0, id, 0));
    Decision expected = reference.decide(request.get(0));
    Call call = Call.of(request, OWNER, 0).at(clock.nowMicros());
    Object reply = pipeline.run(List.of(call)).get(0);
    if (!(reply instanceof List<?> numbers)) {
      return "got " + reply;
    }
    Decision got = Reply.decode(request, List.copyOf(numbers)).get(0);
    return Twin.same(got, expected)
        ? null
        : "%s '%s': must be %s, got %s".formatted(mode, id, expected.limits(), got.limits());
  }
}
