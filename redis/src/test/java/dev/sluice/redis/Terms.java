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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * How long buckets live that batches raise where they lie: what their terms say, as long as their
 * limits remember, and not much longer; also where nodes with other rules write them in turn, or
 * single requests. What is answered is compared with the memory store.
 */
final class Terms implements AutoCloseable {
  private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
  private static final Plan ANY = Plans.of("p", Limit.tokenBucket(1, TEN_MINUTES));
  private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f");
  private static final int STEPS = 300;
  // What start.lua keeps keys for, beyond what they need, where a test has its own clock.
  private static final long GRACE_MICROS = Duration.ofHours(1).toNanos() / 1_000;
  // A busy machine may take its time between two commands.
  private static final long SLACK_MICROS = Duration.ofSeconds(20).toNanos() / 1_000;
  // No script lets a key live for that long: whoever still has it was not written.
  private static final long UNWRITTEN_MILLIS = Duration.ofDays(1_000).toMillis();
  private static final long HALF = 1L << 39;

  /**
   * Plans that come by in turn.
   *
   * @param pause the longest of most pauses
   * @param most the largest cost
   * @param share how many of a hundred must be raised at least, and not written
   */
  private record Case(Duration pause, int most, int share, List<Plan> plans) {}

  private final Pipeline pipeline;
  private final Store owner = new InMemoryStore();
  private final FakeClock clock;
  private final Store reference;
  private final Map<String, Long> endsMicros = new HashMap<>();
  private int written;
  private int raised;

  /** In some histories one round of the numbers ends, and the next begins. */
  private Terms(Pipeline pipeline, int seed) {
    this.pipeline = pipeline;
    this.clock =
        seed % 2 == 0 ? new FakeClock() : new FakeClock(1_000 * 2 * HALF + HALF - 3_000_000_000L);
    this.reference = InMemoryStore.keepingAll(clock);
  }

  private static List<Case> cases() {
    Limit even = Limit.tokenBucket(20, TEN_MINUTES.multipliedBy(20));
    Limit other = Limit.tokenBucket(50, TEN_MINUTES.multipliedBy(9));
    Limit uneven = Limit.tokenBucket(7, TEN_MINUTES.multipliedBy(7).plusMillis(1)).burst(20);
    Limit many = Limit.tokenBucket(2_000, TEN_MINUTES.multipliedBy(2_000 / 10));
    Limit slow = Limit.tokenBucket(5, Duration.ofDays(6));
    // Full again, but for a moment.
    Limit full = Limit.tokenBucket(20, Duration.ofSeconds(20));
    Limit fullUneven = Limit.tokenBucket(3_000, Duration.ofSeconds(70)).burst(20);
    Limit fast = Limit.tokenBucket(20, Duration.ofMillis(20));
    Limit fullForLong = Limit.tokenBucket(6_000, TEN_MINUTES);
    return List.of(
        of(Duration.ofMinutes(2), 3, 73, even),
        of(Duration.ofMinutes(2), 3, 39, uneven),
        of(Duration.ofMinutes(2), 3, 80, even, other),
        of(TEN_MINUTES, 3, 73, even),
        of(Duration.ofMinutes(20), 15, 61, even),
        of(TEN_MINUTES, 300, 15, many),
        of(Duration.ofSeconds(20), 100, 15, many),
        of(Duration.ofHours(5), 1, 6, slow),
        of(Duration.ofSeconds(4), 3, 59, full),
        of(Duration.ofSeconds(9), 20, 62, fullUneven),
        of(Duration.ofSeconds(4), 19, 81, full, even),
        of(Duration.ofMillis(1), 1, 9, fast),
        of(Duration.ofSeconds(2), 3, 76, fullForLong));
  }

  private static Case of(Duration pause, int most, int share, Limit... limits) {
    return new Case(
        pause, most, share, List.of(limits).stream().map(l -> Plans.of("p", l)).toList());
  }

  /** The first thing that is not as it should be, or null. */
  static String firstDifference(RedisServer server, UnaryOperator<String> change) {
    for (Case plans : cases()) {
      for (int seed = 0; seed < 2; seed++) {
        try (Terms terms = new Terms(new Pipeline(server, change), seed)) {
          String difference = terms.walk(new Random(seed), plans);
          if (difference != null) {
            return "%s, seed %d: %s".formatted(plans, seed, difference);
          }
        }
      }
    }
    return null;
  }

  private String walk(Random random, Case plans) {
    pipeline.command("FLUSHALL");
    for (int i = 0; i < STEPS; i++) {
      clock.advanceMicros(pause(random, plans.pause().toNanos() / 1_000));
      Plan plan = plans.plans().get(random.nextInt(plans.plans().size()));
      if (plans.plans().size() == 1) {
        forget();
      }
      String difference = step(random, plan, plans.most());
      if (difference != null) {
        return "step %d: %s".formatted(i, difference);
      }
    }
    return 100 * raised > plans.share() * (raised + written)
        ? null
        : "must be raised more often, got %d and written %d".formatted(raised, written);
  }

  private static long pause(Random random, long most) {
    return switch (random.nextInt(24)) {
      case 0 -> (long) (random.nextDouble() * 100 * most);
      case 1 -> -(long) (random.nextDouble() * most);
      case 2, 3 -> (long) (random.nextDouble() * 10 * most);
      case 4, 5, 6 -> most;
      default -> (long) (random.nextDouble() * most);
    };
  }

  /**
   * What the server would have forgotten by this clock; the memory store then knows full buckets.
   */
  private void forget() {
    for (String key : KEYS) {
      if (endsMicros.getOrDefault(key, 0L) + GRACE_MICROS < clock.nowMicros()) {
        pipeline.command("DEL", name(key));
      }
    }
  }

  private String step(Random random, Plan plan, int most) {
    List<Request> requests =
        KEYS.stream()
            .filter(key -> random.nextInt(8) > 0)
            .map(key -> Request.acquire(plan, key, cost(random, most)))
            .toList();
    Map<String, Long> before = new HashMap<>();
    for (Request request : requests) {
      before.put(request.key(), told(request.key()));
      pipeline.command("PEXPIRE", name(request.key()), Long.toString(UNWRITTEN_MILLIS));
    }
    boolean together = random.nextInt(20) > 0;
    List<Decision> decisions =
        together ? decide(requests) : requests.stream().map(this::decideAlone).toList();
    for (int i = 0; i < requests.size(); i++) {
      Decision decision = decisions.get(i);
      Decision expected = reference.decide(requests.get(i));
      if (!Twin.same(decision, expected)) {
        return "must be %s, got %s".formatted(expected, decision);
      }
      String key = requests.get(i).key();
      String difference = look(key, before.get(key), together, decision, plan);
      if (difference != null) {
        return "key '%s': %s".formatted(key, difference);
      }
    }
    return null;
  }

  private static long cost(Random random, int most) {
    return random.nextInt(4) == 0 ? 1 + random.nextInt(most) : 1;
  }

  private List<Decision> decide(List<Request> requests) {
    if (requests.isEmpty()) {
      return List.of();
    }
    Batch batch = new Batch(call -> call.at(clock.nowMicros()));
    requests.forEach(request -> batch.add(StrangeBatches.ticket(request, owner)));
    BatchReply found = new BatchReply(reply(batch.call()));
    return requests.stream()
        .map(
            request ->
                found.next(Prepared.of(request.plan(), owner), request.cost()) == null
                    ? found.cells().decide(request)
                    : decideAlone(request))
        .toList();
  }

  private Decision decideAlone(Request request) {
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

  /** Whether it was written, and then until when it lives and may live. */
  private String look(String key, long toldBefore, boolean together, Decision decision, Plan plan) {
    if (!decision.allowed()) {
      return null;
    }
    long now = clock.nowMicros();
    long told = told(key);
    long life = (Long) pipeline.command("PTTL", name(key));
    if (life < UNWRITTEN_MILLIS / 2) {
      long per = plan.limits().get(0).perMicros();
      long ends = now + 1_000 * life - GRACE_MICROS;
      long most = now + Math.max(decision.resetAfterMicros(), per) + per;
      endsMicros.put(key, ends);
      written++;
      if (ends - SLACK_MICROS > most) {
        return "must live until %d at most, lives until %d".formatted(most, ends);
      }
      if (told == 0 && ends - SLACK_MICROS > now + decision.resetAfterMicros()) {
        return "has no term, and must not live until %d".formatted(ends);
      }
      if (!together && told > 0) {
        return "must have no term, lives until %d".formatted(told);
      }
    } else {
      raised++;
      if (toldBefore == 0 || !together) {
        return "must be written, for it had no term";
      }
    }
    long ends = endsMicros.get(key);
    if (ends + SLACK_MICROS < now + decision.resetAfterMicros()) {
      return "must live until %d, lives until %d"
          .formatted(now + decision.resetAfterMicros(), ends);
    }
    if (told > now + HALF) {
      return "must not live until %d, which is not within half a round".formatted(told);
    }
    return ends + SLACK_MICROS < told
        ? "must live until %d as it says, lives until %d".formatted(told, ends)
        : null;
  }

  /** Until when its value says that it lives; 0 if it does not say. */
  private long told(String key) {
    String value = String.valueOf(pipeline.command("GET", name(key)));
    if (!value.matches("-?\\d+")) {
      return 0;
    }
    long number = Long.parseLong(value);
    long now = clock.nowMicros();
    long t = now + Math.floorMod(Math.floorDiv(number, 16_384) - now + HALF, 2 * HALF) - HALF;
    long term = Math.floorMod(number, 16_384) / 512;
    long span = 16_384L << term;
    return term == 0 ? 0 : Math.floorDiv(t, span) * span + 2 * span;
  }

  private String name(String key) {
    List<byte[]> keys = Call.of(List.of(Request.acquire(ANY, key, 1)), owner, 0).keys();
    return new String(keys.get(0), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
