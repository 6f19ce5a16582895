package dev.sluice.redis;

import dev.sluice.Algorithm;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Batches of three groups of which the middle one cannot be decided: the others must not notice.
 */
final class StrangeBatches implements AutoCloseable {
  private static final long NOW = 1_799_850_000_000_000L;
  private static final String WRONG =
      "WRONGTYPE Operation against a key holding the wrong kind of value";

  private final Pipeline pipeline;
  private final Store owner = new InMemoryStore();

  private StrangeBatches(Pipeline pipeline) {
    this.pipeline = pipeline;
  }

  /** The first thing that is not as it should be, or null. */
  static String firstDifference(RedisServer server, UnaryOperator<String> change) {
    try (StrangeBatches batches = new StrangeBatches(new Pipeline(server, change))) {
      Limit bucket = Limit.tokenBucket(5, Duration.ofDays(1));
      Limit window = Limit.fixedWindow(5, Duration.ofDays(1));
      List<Plan> plans =
          List.of(Plans.of("p", bucket), Plans.of("p", window), Plans.of("p", bucket, window));
      for (Plan plan : plans) {
        String difference = batches.walk(plan);
        if (difference != null) {
          return plan + ": " + difference;
        }
      }
      String difference = batches.life();
      difference = difference == null ? batches.longPause() : difference;
      difference = difference == null ? batches.windows() : difference;
      difference = difference == null ? batches.forced() : difference;
      difference = difference == null ? batches.askedForTogether() : difference;
      return difference == null ? batches.inUse() : difference;
    } finally {
      server.command("CONFIG", "SET", "maxmemory", "0");
    }
  }

  private String walk(Plan plan) {
    String strange = key(plan, "b");
    String difference = null;
    for (String value : strange(plan)) {
      pipeline.command("FLUSHALL");
      pipeline.command("SET", strange, value, "PX", "100000");
      difference = difference == null ? expect(plan, Group.LEFT, 2) : difference;
      Object left = pipeline.command("GET", strange);
      difference = difference == null && !value.equals(left) ? "value became " + left : difference;
    }
    pipeline.command("FLUSHALL");
    pipeline.command("RPUSH", strange, "somebody's");
    difference = difference == null ? expect(plan, WRONG, 2) : difference;
    // Each is told its own problem.
    pipeline.command("SET", key(plan, "c"), "somebody's");
    List<Object> reply = run(plan);
    if (difference == null && !reply.equals(List.of(NOW, 2L, WRONG, Group.LEFT))) {
      return "two problems, got " + reply;
    }
    return difference == null ? withoutMemory(plan) : difference;
  }

  /** What is not of this plan, or of nobody that we know. */
  private static List<String> strange(Plan plan) {
    boolean one = plan.limits().size() == 1;
    String sixteen = "0123456789abcdef";
    boolean bucket = plan.limits().get(0).algorithm() == Algorithm.TOKEN_BUCKET;
    List<String> values =
        List.of(
            "somebody's",
            "12x4",
            "1.5",
            // As a bucket that was charged a millisecond ago, but a round too high.
            Long.toString((Math.floorMod(NOW, 1L << 40) - 1_000 + (1L << 40)) * 16_384 + 5),
            "-12345678901235abc",
            one && bucket ? "-2221632000000000003" : "-4503599627370499",
            "1:2:3",
            "abc12345",
            "12345abc",
            "-12345abc",
            one ? "t\nshort" : "t,f\n" + sixteen,
            one ? "f\nshort" : "t,b\n" + sixteen + sixteen,
            one ? "b\n" + sixteen : "f,t\n" + sixteen + sixteen);
    // As a bucket with a term of years, but rounds too low.
    return one && bucket
        ? Stream.concat(values.stream(), Stream.of("-36028797018948096")).toList()
        : values;
  }

  /** A value is kept for as long as the longest of its limits. */
  private String life() {
    Limit bucket = Limit.tokenBucket(5, Duration.ofDays(1));
    Plan plan = Plans.of("p", bucket, Limit.fixedWindow(5, Duration.ofSeconds(1)));
    pipeline.command("FLUSHALL");
    run(plan);
    long life = (Long) pipeline.command("PTTL", key(plan, "a"));
    return life > Duration.ofHours(9).toMillis() ? null : "lives %d ms".formatted(life);
  }

  /** A bucket in use is raised only while its number has room, and if there is memory. */
  private String inUse() {
    Plan plan = Plans.of("p", Limit.tokenBucket(20_000, Duration.ofDays(1)));
    pipeline.command("FLUSHALL");
    String got = "";
    for (long cost : new long[] {100, 200, 211, 1}) {
      if (got.startsWith("t\n")) {
        return "less than 512 used, got " + got;
      }
      run(plan, "a", cost, NOW);
      got = String.valueOf(pipeline.command("GET", key(plan, "a")));
    }
    if (!got.startsWith("t\n")) {
      return "512 used, got " + got;
    }
    run(plan);
    run(plan);
    pipeline.command("CONFIG", "SET", "maxmemory", "1");
    List<Object> reply = run(plan);
    pipeline.command("CONFIG", "SET", "maxmemory", "0");
    List<Object> expected = List.of(NOW, Group.LEFT, Group.LEFT, Group.LEFT);
    return reply.equals(expected) ? null : "in use, without memory, got " + reply;
  }

  /** Many requests for one bucket are one raise. */
  private String askedForTogether() {
    Plan plan = Plans.of("p", Limit.tokenBucket(100, Duration.ofDays(1)));
    pipeline.command("FLUSHALL");
    run(plan, "a", 1, NOW);
    run(plan, "a", 1, NOW);
    pipeline.command("PERSIST", key(plan, "a"));
    long before = Long.parseLong(String.valueOf(pipeline.command("GET", key(plan, "a"))));
    Batch batch = new Batch(call -> call.at(NOW));
    for (int i = 0; i < 3; i++) {
      batch.add(ticket(Request.acquire(plan, "a", 2), owner));
    }
    pipeline.run(List.of(batch.call()));
    String after = String.valueOf(pipeline.command("GET", key(plan, "a")));
    boolean written = !pipeline.command("PTTL", key(plan, "a")).equals(-1L);
    return after.equals(Long.toString(before + 6)) && !written
        ? null
        : "must raise %d by 6, got %s, written: %s".formatted(before, after, written);
  }

  /** A bucket that is in use for weeks is no number: of one a round is not told. */
  private String longPause() {
    Plan plan = Plans.of("p", Limit.tokenBucket(5, Duration.ofDays(100)));
    long day = Duration.ofDays(1).toNanos() / 1_000;
    pipeline.command("FLUSHALL");
    run(plan, "a", 1, NOW);
    run(plan, "a", 1, NOW);
    run(plan, "a", 2, NOW + 25 * day);
    String got = String.valueOf(pipeline.command("GET", key(plan, "a")));
    plan = Plans.of("p", Limit.tokenBucket(1, Duration.ofDays(1)).burst(9));
    run(plan, "b", 5, NOW);
    String days = String.valueOf(pipeline.command("GET", key(plan, "b")));
    run(plan, "b", 1, NOW);
    String twelve = String.valueOf(pipeline.command("GET", key(plan, "b")));
    // A longer term would not be that of a number.
    plan = Plans.of("p", Limit.tokenBucket(5, Duration.ofDays(6)));
    run(plan, "c", 1, NOW);
    run(plan, "c", 1, NOW);
    String again = String.valueOf(pipeline.command("GET", key(plan, "c")));
    if (!again.matches("-?\\d+")) {
      return "must be a number, got " + again;
    }
    return got.startsWith("t\n") && days.matches("-?\\d+") && twelve.startsWith("t\n")
        ? null
        : "must be a line, a number and a line, got %s, %s, %s".formatted(got, days, twelve);
  }

  /** A window is a number while that has room for its count and its time. */
  private String windows() {
    Plan plan = Plans.of("p", Limit.fixedWindow(20_000, Duration.ofDays(1)));
    pipeline.command("FLUSHALL");
    run(plan, "a", 9_999, NOW);
    run(plan, "b", 10_000, NOW);
    run(plan, "c", 1, Duration.ofDays(10_000).toNanos() / 1_000);
    String a = String.valueOf(pipeline.command("GET", key(plan, "a")));
    String b = String.valueOf(pipeline.command("GET", key(plan, "b")));
    String c = String.valueOf(pipeline.command("GET", key(plan, "c")));
    return a.endsWith("9999") && b.startsWith("f\n") && c.startsWith("f\n")
        ? null
        : "must be a number, and twice none, got %s, %s, %s".formatted(a, b, c);
  }

  /** What the longer scripts write is a number under the same conditions, without a term. */
  private String forced() {
    Plan bucket = Plans.of("p", Limit.tokenBucket(1, Duration.ofDays(1)).burst(9));
    Plan week = Plans.of("q", Limit.tokenBucket(9, Duration.ofDays(7)));
    Plan window = Plans.of("r", Limit.fixedWindow(20_000, Duration.ofDays(1)));
    pipeline.command("FLUSHALL");
    String five = force(bucket, 5, NOW);
    String six = force(bucket, 1, NOW);
    String one = force(week, 1, NOW);
    String nineties = force(window, 1, Duration.ofDays(10_000).toNanos() / 1_000);
    boolean number = five.matches("-?\\d+") && Math.floorMod(Long.parseLong(five), 16_384) == 5;
    return number && six.startsWith("t\n") && one.startsWith("t\n") && nineties.startsWith("f\n")
        ? null
        : "must be a number and three lines, got %s, %s, %s, %s"
            .formatted(five, six, one, nineties);
  }

  private String force(Plan plan, long cost, long now) {
    Request request = new Request(plan, "a", cost, Request.Mode.FORCE, 0, null, 0);
    pipeline.run(List.of(Call.of(List.of(request), owner, now).at(now)));
    return String.valueOf(pipeline.command("GET", key(plan, "a")));
  }

  private Object run(Plan plan, String key, long cost, long now) {
    Batch batch = new Batch(call -> call.at(now));
    batch.add(ticket(Request.acquire(plan, key, cost), owner));
    return pipeline.run(List.of(batch.call())).get(0);
  }

  /** New keys are left to the script that knows what to do, and none is added. */
  private String withoutMemory(Plan plan) {
    pipeline.command("FLUSHALL");
    pipeline.command("CONFIG", "SET", "maxmemory", "1");
    List<Object> reply = run(plan);
    pipeline.command("CONFIG", "SET", "maxmemory", "0");
    List<Object> expected = List.of(NOW, Group.LEFT, Group.LEFT, Group.LEFT);
    if (!reply.equals(expected)) {
      return "without memory, got " + reply;
    }
    return (Long) pipeline.command("DBSIZE") == 0 ? null : "keys were added";
  }

  /** That the middle group is told a problem, and those around it are charged what they asked. */
  private String expect(Plan plan, String problem, long cost) {
    List<Object> reply = run(plan);
    List<Object> expected = List.of(NOW, cost, problem, cost);
    return reply.equals(expected) ? null : "must be %s, got %s".formatted(expected, reply);
  }

  /** The clock, and for each group what was taken or why nothing was. */
  private List<Object> run(Plan plan) {
    Batch batch = new Batch(call -> call.at(NOW));
    for (String key : List.of("a", "b", "c")) {
      batch.add(ticket(Request.acquire(plan, key, 2), owner));
    }
    Object reply = pipeline.run(List.of(batch.call())).get(0);
    if (!(reply instanceof List<?> elements)) {
      return List.of(reply);
    }
    BatchReply found = new BatchReply(List.copyOf(elements));
    List<Object> told = new ArrayList<>(List.of(found.now()));
    for (int i = 0; i < 3; i++) {
      String problem = found.next(Prepared.of(plan, owner), 2);
      told.add(problem == null ? found.taken() : problem);
    }
    return told;
  }

  /** A ticket that only travels: nobody tells it what became of it. */
  static Ticket ticket(Request request, Store owner) {
    Ticket.Office nobody = null;
    return new Ticket(
        nobody,
        new Breaker(),
        request,
        Prepared.of(request.plan(), owner),
        Stores.PATIENCE,
        System.nanoTime(),
        null);
  }

  private String key(Plan plan, String key) {
    List<byte[]> keys = Call.of(List.of(Request.acquire(plan, key, 1)), owner, NOW).keys();
    return new String(keys.get(0), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
