package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Request.Mode;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * Drives batches of requests and the memory store, which decides them one after the other, through
 * the same histories, and compares every answer. Between the batches are bookings, reservations and
 * whatever else leaves a state that is rare; the clock also steps back.
 */
final class CoalescedTwin implements AutoCloseable {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Limit FIVE = Limit.tokenBucket(5, SECOND).burst(8);
  private static final List<Plan> PLANS =
      List.of(
          Plans.of("bucket", FIVE),
          Plans.of("bucket", Limit.tokenBucket(7, Duration.ofMillis(1_001)).burst(20)),
          Plans.of("slow", Limit.tokenBucket(30, Duration.ofMinutes(5)).burst(20)),
          Plans.of("uneven", Limit.tokenBucket(7, Duration.ofMillis(10_007)).burst(6)),
          Plans.of("fast", Limit.tokenBucket(700_001, SECOND).burst(20)),
          Plans.of("faster", Limit.tokenBucket(5_000_001, SECOND).burst(6)),
          Plans.of("window", Limit.fixedWindow(9, SECOND)),
          Plans.of("counter", Limit.counter(6, SECOND)),
          Plans.of("two", Limit.tokenBucket(5_000_001, SECOND).burst(6), Limit.counter(8, SECOND)),
          Plans.of("three", FIVE, Limit.fixedWindow(12, SECOND), Limit.counter(30, SECOND)));
  private static final List<Mode> OTHERS =
      List.of(Mode.BOOK, Mode.RESERVE, Mode.FORCE, Mode.GIVE_BACK, Mode.RESET);
  private static final int BATCHES = 150;

  // An hour, in which a history is walked, and no more than the slow bucket's time and a period.
  private static final long LEAST_LIFE_MILLIS = 3_000_000;
  private static final long MOST_LIFE_MILLIS = 3_600_000 + 510_000;

  private final Pipeline pipeline;

  CoalescedTwin(RedisServer server, UnaryOperator<String> change) {
    this.pipeline = new Pipeline(server, change);
  }

  /** Walks a history; the first difference, or null. */
  String firstDifference(int seed) {
    pipeline.command("FLUSHALL");
    Random random = new Random(seed);
    FakeClock clock = new FakeClock();
    Store reference = InMemoryStore.keepingAll(clock);
    Ahead ahead = new Ahead(clock);
    for (int i = 0; i < BATCHES; i++) {
      clock.advanceMicros(pause(random, clock.nowMicros()));
      String difference = null;
      if (random.nextInt(3) == 0) {
        Request other = other(random, i);
        difference = difference(seed, i, reference.decide(other), ahead.decide(other));
      }
      for (Ticket ticket : ahead.decide(batch(random, seed % 2 == 0 ? 3 : 12, ahead))) {
        Decision expected = reference.decide(ticket.request());
        difference =
            difference == null ? difference(seed, i, expected, ticket.outcome()) : difference;
      }
      if (difference != null) {
        return difference;
      }
    }
    return immortal();
  }

  private static String difference(int seed, int step, Decision expected, Decision got) {
    return Twin.same(got, expected)
        ? null
        : "seed %d, step %d: expected %s, got %s".formatted(seed, step, expected, got);
  }

  /** A key that would not go by itself, or that is kept for longer than start.lua says. */
  private String immortal() {
    for (Object key : (List<?>) pipeline.command("KEYS", "*")) {
      long life = (Long) pipeline.command("PTTL", key.toString());
      if (life < LEAST_LIFE_MILLIS || life > MOST_LIFE_MILLIS) {
        return "key '%s': lives %d ms".formatted(key, life);
      }
    }
    return null;
  }

  private static long pause(Random random, long now) {
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> -random.nextInt(400_000);
      case 2 -> random.nextInt(3_000_000);
      case 3 -> -random.nextInt(5_000_000);
      // To the very start of a window.
      case 4 -> 1_000_000 - now % 1_000_000;
      default -> random.nextInt(300_000);
    };
  }

  /** Many requests for few keys, or few for each of many. */
  private static List<Ticket> batch(Random random, int keys, Ahead ahead) {
    List<Ticket> tickets = new ArrayList<>();
    for (int i = 1 + random.nextInt(10 * keys); i > 0; i--) {
      Plan plan = PLANS.get(random.nextInt(PLANS.size()));
      int most = random.nextInt(4) == 0 ? 5 : 1;
      String key = "k" + random.nextInt(keys);
      tickets.add(ahead.ticket(Request.acquire(plan, key, 1 + random.nextInt(most))));
    }
    return tickets;
  }

  private static Request other(Random random, int step) {
    Plan plan = PLANS.get(random.nextInt(PLANS.size()));
    Mode mode = OTHERS.get(random.nextInt(OTHERS.size()));
    boolean books = mode == Mode.BOOK || mode == Mode.RESERVE;
    return new Request(
        plan,
        "k" + random.nextInt(3),
        1 + random.nextInt(3),
        mode,
        books ? random.nextInt(3_000_000) : 0,
        mode == Mode.RESERVE ? "id" + step : null,
        mode == Mode.RESERVE ? 1 + random.nextInt(2_000_000) : 0);
  }

  /** The scripts, at the instants of a test's clock. */
  private final class Ahead implements Ticket.Office {
    private final FakeClock clock;
    // Owns what is prepared for the plans; never asked.
    private final Store owner = new InMemoryStore();
    private final Breaker breaker = new Breaker();

    Ahead(FakeClock clock) {
      this.clock = clock;
    }

    Ticket ticket(Request request) {
      return new Ticket(
          this,
          breaker,
          request,
          Prepared.of(request.plan(), owner),
          Stores.PATIENCE,
          System.nanoTime(),
          null);
    }

    /** In one batch, but for what cannot be with the others; in the order of the decisions. */
    List<Ticket> decide(List<Ticket> tickets) {
      Batch batch = new Batch(call -> call.at(clock.nowMicros()));
      List<Ticket> together = new ArrayList<>();
      List<Ticket> others = new ArrayList<>();
      for (Ticket ticket : tickets) {
        (batch.add(ticket) ? together : others).add(ticket);
      }
      batch.answered(run(batch.call()));
      others.forEach(ticket -> ticket.answered(run(call(ticket.request()))));
      together.addAll(others);
      return together;
    }

    Decision decide(Request request) {
      return Reply.decode(List.of(request), run(call(request))).get(0);
    }

    @SuppressWarnings("unchecked") // the scripts answer with flat lists
    private List<Object> run(Call call) {
      Object reply = pipeline.run(List.of(call)).get(0);
      if (!(reply instanceof List)) {
        throw new IllegalStateException(String.valueOf(reply));
      }
      return (List<Object>) reply;
    }

    @Override
    public Call call(Request request) {
      return Call.of(List.of(request), owner, clock.nowMicros()).at(clock.nowMicros());
    }

    @Override
    public CompletableFuture<Decision> decideElsewhere(Ticket ticket, List<Object> undecided) {
      return CompletableFuture.completedFuture(decide(ticket.request()));
    }

    @Override
    public void reconnect(Ticket ticket) {
      throw new AssertionError("nothing was lost");
    }
  }

  @Override
  public void close() {
    pipeline.close();
  }
}
