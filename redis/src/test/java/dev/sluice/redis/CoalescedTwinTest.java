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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that travel together get the answers, field by field, that they would get one after the
 * other: seeded histories of batches of any size, between them bookings, reservations and whatever
 * else leaves a state that is rare, and a clock that also steps back.
 */
class CoalescedTwinTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Limit FIVE = Limit.tokenBucket(5, SECOND).burst(8);
  private static final List<Plan> PLANS =
      List.of(
          Plans.of("bucket", FIVE),
          Plans.of("bucket", Limit.tokenBucket(7, Duration.ofMillis(1_001)).burst(20)),
          Plans.of("fast", Limit.tokenBucket(700_001, SECOND).burst(20)),
          Plans.of("window", Limit.fixedWindow(9, SECOND)),
          Plans.of("counter", Limit.counter(6, SECOND)),
          Plans.of("three", FIVE, Limit.fixedWindow(12, SECOND), Limit.counter(30, SECOND)));
  private static final List<Mode> OTHERS =
      List.of(Mode.BOOK, Mode.RESERVE, Mode.FORCE, Mode.GIVE_BACK, Mode.RESET);
  private static final int BATCHES = 150;

  private static RedisServer server;
  private static Pipeline pipeline;

  @BeforeAll
  static void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
    pipeline = new Pipeline(server, Twin::patient);
  }

  @AfterAll
  static void stop() {
    pipeline.close();
    server.close();
  }

  static List<Integer> seeds() {
    return IntStream.range(0, 40).boxed().toList();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void togetherIsAsOneAfterTheOther(int seed) {
    pipeline.command("FLUSHALL");
    Random random = new Random(seed);
    FakeClock clock = new FakeClock();
    Store reference = InMemoryStore.keepingAll(clock);
    Ahead ahead = new Ahead(clock);
    for (int i = 0; i < BATCHES; i++) {
      clock.advanceMicros(pause(random, clock.nowMicros()));
      if (random.nextInt(3) == 0) {
        Request other = other(random, i);
        compare(seed, i, reference.decide(other), ahead.decide(other));
      }
      List<Ticket> decided = ahead.decide(batch(random, ahead));
      for (Ticket ticket : decided) {
        compare(seed, i, reference.decide(ticket.request()), ticket.outcome());
      }
    }
  }

  private static void compare(int seed, int step, Decision expected, Decision got) {
    assertThat(Twin.same(got, expected))
        .as("seed %d, step %d: expected %s, got %s", seed, step, expected, got)
        .isTrue();
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

  private static List<Ticket> batch(Random random, Ahead ahead) {
    List<Ticket> tickets = new ArrayList<>();
    for (int i = 1 + random.nextInt(30); i > 0; i--) {
      Plan plan = PLANS.get(random.nextInt(PLANS.size()));
      int most = random.nextInt(4) == 0 ? 5 : 1;
      String key = "k" + random.nextInt(3);
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
  private static final class Ahead implements Ticket.Office {
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
          new Settlement(breaker, "test"),
          request,
          Prepared.of(request.plan(), owner),
          Stores.PATIENCE,
          System.nanoTime());
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
    private static List<Object> run(Call call) {
      Object reply = pipeline.run(List.of(call)).get(0);
      assertThat(reply).isInstanceOf(List.class);
      List<Object> elements = new ArrayList<>((List<Object>) reply);
      elements.replaceAll(e -> e instanceof String text ? Prepared.text(text) : e);
      return elements;
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
}
