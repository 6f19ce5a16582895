package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What should not happen at all ends with an answer, and harms nobody else. */
class StrangeTicketsTest {
  // Not plain, so each is a call of its own.
  private static final Plan PLAN = Plans.of("test", Limit.slidingLog(1, Duration.ofHours(1)));
  private static final Plan PLAIN = Plans.of("test", Limit.tokenBucket(1, Duration.ofHours(1)));
  private static final String TOO_LONG = "too long";
  private static final String UNDECIDED_FOR_LONG = "return {'a', 'c'}";
  private static final String ALLOWED = "return {1, 0, 0, 0, 0, 0}";
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final Duration SOON = Duration.ofSeconds(10);

  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final AtomicLong nanos = new AtomicLong();
  private final Breaker breaker = new Breaker(nanos::get);
  private RedisServer server;
  private Lanes lanes;

  @BeforeEach
  void start() throws TransportException {
    server = RedisServer.on(RedisBinary.bundled()).start();
    RedisAddress address = RedisAddress.parse(server.uri());
    lanes = new Lanes("it", 1, address, Stores.patience(), timer, null);
    lanes.add(Wire.open(address, Stores.patience(), address.nodes().get(0)));
    lanes.start();
  }

  @AfterEach
  void stop() {
    lanes.close();
    timer.shutdownNow();
    server.close();
  }

  /** Calls a script, and has nowhere else to go. */
  private record Desk(String script) implements Ticket.Office {
    @Override
    public Call call(Request request) {
      if (script.isEmpty()) {
        throw new IllegalStateException("no script");
      }
      if (script.equals(TOO_LONG)) {
        throw new OutOfMemoryError("no room for the script");
      }
      return new Call(Script.of(script), List.of(), List.of());
    }

    @Override
    public CompletableFuture<Decision> decideElsewhere(
        Ticket ticket, @Nullable List<Object> undecided) {
      if (script.equals(UNDECIDED_FOR_LONG)) {
        throw new OutOfMemoryError("no room for another call");
      }
      throw new ClassCastException("no number");
    }

    @Override
    public void reconnect(Ticket ticket) {}
  }

  private Ticket ticket(String script) {
    return ticket(PLAN, script);
  }

  private Ticket ticket(Plan plan, String script) {
    return ticket(plan, script, null);
  }

  private Ticket ticket(Plan plan, String script, Store.@Nullable Ending then) {
    return ticket(plan, script, DEADLINE, then);
  }

  private Ticket ticket(Plan plan, String script, Duration deadline, Store.@Nullable Ending then) {
    return new Ticket(
        new Desk(script),
        breaker,
        Request.acquire(plan, "k", 1),
        new Prepared(plan),
        deadline,
        System.nanoTime(),
        then);
  }

  /** Its ending tells what it heard. */
  private Ticket telling(String script, List<Throwable> heard) {
    return ticket(
        PLAN,
        script,
        (answer, failure) -> {
          heard.add(failure);
          throw new CompletionException(failure);
        });
  }

  @Test
  void callThatWasCancelledInLineIsNotSent() {
    // So nobody comes for those in line.
    Wire wire = lanes.takeWire();
    List<Throwable> heard = new ArrayList<>();
    CompletableFuture<Decision> given =
        lanes.decideSoon(telling("return redis.call('SET', 'sent', '1')", heard));
    assertThat(given.cancel(false)).isTrue();
    lanes.giveBack(wire);
    assertFails(lanes.decideSoon(ticket("return {}")), "the reply makes no sense");
    assertThat(server.command("EXISTS", "sent")).isEqualTo(0L);
    assertThat(heard).singleElement().isInstanceOf(CancellationException.class);
  }

  @Test
  void callThatWasCancelledOnItsWayIsWaitedFor() {
    Ticket given = ticket("return {}");
    assertThat(given.cancel(false)).isTrue();
    assertThat(new Deadlines.Sweep().look(given)).isTrue();
  }

  @Test
  void endingHearsOfACallThatCannotBeMade() {
    List<Throwable> heard = new ArrayList<>();
    assertFails(lanes.decideSoon(telling("", heard)), "the call cannot be made");
    assertThat(heard).singleElement().isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void endingHearsOfTheFirstOutcomeOnly() {
    List<Throwable> heard = new ArrayList<>();
    Ticket late = telling("", heard);
    long over = System.nanoTime() + 2 * DEADLINE.toNanos();
    assertThat(late.expire(over)).isTrue();
    late.decided(Decision.unknown(late.request()));
    assertThat(late.expire(over)).isFalse();
    late.notSent(new IllegalStateException("no script"));
    assertThat(heard).singleElement().isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void wireThatNobodyUsesOutlivesTheDeadlineOfWhomItServed() throws Exception {
    Duration deadline = Duration.ofSeconds(1);
    lanes.decide(ticket(PLAN, ALLOWED, deadline, null));
    // The timer has one thread, so what was due before has been done.
    timer.schedule(() -> {}, deadline.toNanos(), TimeUnit.NANOSECONDS).get();
    assertThat(lanes.usable()).isTrue();
  }

  private static void assertFails(CompletableFuture<Decision> decision, String text) {
    assertThat(decision)
        .failsWithin(SOON)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOf(StoreUnavailableException.class)
        .withMessage("redis: no decision for policy 'test': " + text);
  }

  @Test
  void callThatCannotBeMadeEndsAndTheLaneGoesOn() {
    assertFails(lanes.decideSoon(ticket("")), "the call cannot be made");
    assertFails(lanes.decideSoon(ticket("return {}")), "the reply makes no sense");
  }

  @Test
  void callForWhichThereIsNoMemoryEndsAndTheLaneGoesOn() {
    assertFails(lanes.decideSoon(ticket(TOO_LONG)), "the call cannot be made");
    assertThatThrownBy(() -> lanes.decide(ticket(TOO_LONG)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessage("redis: no decision for policy 'test': the call cannot be made");
    assertThat(lanes.decideSoon(ticket(ALLOWED))).succeedsWithin(SOON);
  }

  /** Each time on another wire, for nobody knows what is on its way on the last. */
  @Test
  void laneGoesOnAfterItRanOutOfMemory() throws TransportException {
    RedisAddress address = RedisAddress.parse(server.uri());
    AtomicInteger failures = new AtomicInteger();
    Yielding failing =
        new Yielding(
            System::nanoTime,
            () -> {
              if (failures.incrementAndGet() <= 2) {
                throw new OutOfMemoryError("no room for tickets");
              }
            });
    Lanes poor = new Lanes("it", 1, address, Stores.patience(), timer, null, failing);
    List<Wire> wires = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      wires.add(Wire.open(address, Stores.patience(), address.nodes().get(0)));
      poor.add(wires.get(i));
    }
    poor.start();
    assertThat(poor.decideSoon(ticket(ALLOWED))).succeedsWithin(SOON);
    assertThat(wires.stream().filter(Wire::closed)).hasSize(2);
    poor.close();
  }

  @Test
  void callThatCannotBeMadeHarmsNobodyWhoStandsInLineWithIt() {
    Wire wire = lanes.takeWire();
    List<CompletableFuture<Decision>> good = new ArrayList<>();
    List<CompletableFuture<Decision>> bad = new ArrayList<>();
    good.add(lanes.decideSoon(ticket(ALLOWED)));
    bad.add(lanes.decideSoon(ticket("")));
    good.add(lanes.decideSoon(ticket(ALLOWED)));
    // Alone of its kind, so that no batch is made of it.
    bad.add(lanes.decideSoon(ticket(PLAIN, "")));
    lanes.giveBack(wire);
    assertThat(good).allSatisfy(one -> assertThat(one).succeedsWithin(SOON));
    bad.forEach(one -> assertFails(one, "the call cannot be made"));
  }

  @Test
  void callThatCannotBeMadeKeepsNoWire() {
    assertThatThrownBy(() -> lanes.decide(ticket("")))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessage("redis: no decision for policy 'test': the call cannot be made");
    assertThat(lanes.busy()).isFalse();
  }

  @Test
  void undecidedReplyThatCannotBeReadEndsTheWait() {
    for (String undecided : List.of("return {'a', 'b'}", UNDECIDED_FOR_LONG)) {
      assertFails(lanes.decideSoon(ticket(undecided)), "the reply makes no sense");
      assertThatThrownBy(() -> lanes.decide(ticket(undecided)))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessage("redis: no decision for policy 'test': the reply makes no sense");
    }
  }

  /** The server is left just as a lane has taken a wire, and lets others run. */
  @Test
  void whoStandsInLineForAWireThatIsClosedIsSentElsewhere() throws TransportException {
    RedisAddress address = RedisAddress.parse(server.uri());
    Wire wire = Wire.open(address, Stores.patience(), address.nodes().get(0));
    Yielding closing = new Yielding(System::nanoTime, wire::close);
    Lanes left = new Lanes("it", 1, address, Stores.patience(), timer, null, closing);
    left.add(wire);
    assertThat(left.takeWire()).isEqualTo(wire);
    CompletableFuture<Decision> waiting = left.decideSoon(ticket(ALLOWED));
    left.giveBack(wire);
    left.start();
    assertFails(waiting, "the call cannot be made");
    left.close();
  }

  private void openTheBreaker() {
    for (int i = 0; i < Breaker.THRESHOLD; i++) {
      breaker.failed(breaker.enter());
    }
    nanos.addAndGet(Breaker.LONGEST_PAUSE_NANOS);
  }

  @Test
  void probeThatCannotBeMadeDoesNotCloseTheBreaker() {
    openTheBreaker();
    assertFails(lanes.decideSoon(ticket("")), "the call cannot be made");
    assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
    nanos.addAndGet(Breaker.LONGEST_PAUSE_NANOS);
    assertThatThrownBy(() -> lanes.decide(ticket("")))
        .hasMessage("redis: no decision for policy 'test': the call cannot be made");
    assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
  }

  @Test
  void probeThatWasNotSentDoesNotCloseTheBreaker() {
    openTheBreaker();
    assertThat(lanes.takeWire()).isNotNull();
    CompletableFuture<Decision> probe = lanes.decideSoon(ticket("return {}"));
    assertThat(breaker.state()).isEqualTo(BreakerState.HALF_OPEN);
    lanes.leave();
    assertFails(probe, "the call cannot be made");
    assertThat(breaker.state()).isEqualTo(BreakerState.OPEN);
  }
}
