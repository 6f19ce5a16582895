package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.testkit.FakeClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * How long a bucket lives that batches raise where it lies: what its term says, as long as its
 * limit remembers, and no period longer; also where nodes with other rules write it in turn.
 */
final class Terms implements AutoCloseable {
  private static final Duration EACH = Duration.ofMinutes(10);
  private static final Plan PLAN = Plans.of("p", Limit.tokenBucket(20, EACH.multipliedBy(20)));
  private static final Plan OTHER = Plans.of("p", Limit.tokenBucket(50, EACH.multipliedBy(9)));
  private static final Plan UNEVEN =
      Plans.of("p", Limit.tokenBucket(7, EACH.multipliedBy(7).plusMillis(1)).burst(20));
  private static final int STEPS = 300;
  // What start.lua keeps keys for, beyond what they need, where a test has its own clock.
  private static final long GRACE_MICROS = Duration.ofHours(1).toNanos() / 1_000;
  // A busy machine may take its time between two commands.
  private static final long SLACK_MICROS = Duration.ofSeconds(20).toNanos() / 1_000;
  // No script lets a key live for that long: whoever still has it was not written.
  private static final long UNWRITTEN_MILLIS = Duration.ofDays(1_000).toMillis();
  private static final long EPOCH_MICROS = 1_577_836_800_000_000L;

  private final Pipeline pipeline;
  private final Store owner = new InMemoryStore();
  private final FakeClock clock = new FakeClock();
  private long endsMicros;
  private int written;
  private int raised;

  private Terms(Pipeline pipeline) {
    this.pipeline = pipeline;
  }

  /** The first thing that is not as it should be, or null. */
  static String firstDifference(RedisServer server, UnaryOperator<String> change) {
    for (int seed = 0; seed < 6; seed++) {
      List<Plan> plans =
          List.of(List.of(PLAN), List.of(UNEVEN), List.of(PLAN, OTHER)).get(seed % 3);
      try (Terms terms = new Terms(new Pipeline(server, change))) {
        String difference = terms.walk(new Random(seed), plans);
        if (difference != null) {
          return "seed %d: %s".formatted(seed, difference);
        }
      }
    }
    return null;
  }

  private String walk(Random random, List<Plan> plans) {
    pipeline.command("FLUSHALL");
    for (int i = 0; i < STEPS; i++) {
      clock.advanceMicros(pause(random));
      Plan plan = plans.get(random.nextInt(plans.size()));
      pipeline.command("PEXPIRE", name(), Long.toString(UNWRITTEN_MILLIS));
      Decision decision = decide(Request.acquire(plan, "a", 1 + random.nextInt(3)));
      look();
      String difference = difference(decision, plan, plans.size() == 1);
      if (difference != null) {
        return "step %d: %s".formatted(i, difference);
      }
    }
    return raised > written / 2
        ? null
        : "must be raised more often, got %d and written %d".formatted(raised, written);
  }

  private static long pause(Random random) {
    long each = EACH.toNanos() / 1_000;
    return switch (random.nextInt(12)) {
      case 0 -> (long) (random.nextDouble() * 30 * each);
      case 1 -> -(long) (random.nextDouble() * each);
      case 2, 3 -> (long) (random.nextDouble() * 3 * each);
      default -> random.nextInt(1_000_000);
    };
  }

  private Decision decide(Request request) {
    Batch batch = new Batch(call -> call.at(clock.nowMicros()));
    batch.add(StrangeBatches.ticket(request, owner));
    BatchReply found = new BatchReply(reply(batch.call()));
    String problem = found.next(Prepared.of(request.plan(), owner), request.cost());
    if (problem == null) {
      return found.cells().decide(request);
    }
    List<Request> alone = List.of(request);
    return Reply.decode(alone, reply(Call.of(alone, owner, 0).at(clock.nowMicros()))).get(0);
  }

  private List<Object> reply(Call call) {
    Object reply = pipeline.run(List.of(call)).get(0);
    if (!(reply instanceof List<?> elements)) {
      throw new IllegalStateException(String.valueOf(reply));
    }
    return List.copyOf(elements);
  }

  /** Whether it was written, and then until when it lives. */
  private void look() {
    long life = (Long) pipeline.command("PTTL", name());
    if (life < UNWRITTEN_MILLIS / 2) {
      endsMicros = clock.nowMicros() + 1_000 * life - GRACE_MICROS;
      written++;
    } else {
      raised++;
    }
  }

  private String difference(Decision decision, Plan plan, boolean oneRule) {
    long needed = clock.nowMicros() + decision.resetAfterMicros();
    if (decision.allowed() && endsMicros + SLACK_MICROS < needed) {
      return "must live until %d, lives until %d".formatted(needed, endsMicros);
    }
    long most = needed + plan.limits().get(0).perMicros();
    if (oneRule && endsMicros - SLACK_MICROS > most) {
      return "must live until %d at most, lives until %d".formatted(most, endsMicros);
    }
    long told = told();
    return endsMicros + SLACK_MICROS < told
        ? "must live until %d as it says, lives until %d".formatted(told, endsMicros)
        : null;
  }

  /** Until when its value says that it lives; 0 if it does not say. */
  private long told() {
    String value = String.valueOf(pipeline.command("GET", name()));
    if (!value.matches("\\d+")) {
      return 0;
    }
    long number = Long.parseLong(value);
    long term = number % 10_000 / 400;
    return term == 0 ? 0 : number / 10_000 + EPOCH_MICROS + (16_000L << term);
  }

  private String name() {
    List<byte[]> keys = Call.of(List.of(Request.acquire(PLAN, "a", 1)), owner, 0).keys();
    return new String(keys.get(0), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
