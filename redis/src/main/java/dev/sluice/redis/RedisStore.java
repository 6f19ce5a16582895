package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.MicroClock;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import dev.sluice.tier.TieredStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * State in Redis or Valkey: each decision is one script, run by the server at its own clock, in one
 * round trip. Safe for use by many threads.
 *
 * <p>Futures complete on the thread that reads from the network, or on one of the common pool where
 * a call was sent again: what depends on them must not block, nor call the blocking methods of this
 * store.
 */
public final class RedisStore implements Store {
  // Undecided replies only follow when windows end meanwhile; three in a row cannot.
  private static final int MOST_ROUNDS = 3;
  private static final long LONGEST_GOODBYE_MILLIS = 200;

  private final RedisAddress address;
  private final RedisOptions options;
  private final ScheduledThreadPoolExecutor timer;
  private final Transport transport;
  private final Watch watch;
  private final Map<Object, Breaker> breakers = new ConcurrentHashMap<>();
  private final Ticket.Office office = new Counter();
  private final MicroClock clock;
  private final boolean virtual;
  // One for all who use this store: what one of them resets, the others know at once.
  private final Store front;
  private volatile long aheadMicros;

  private RedisStore(RedisAddress address, RedisOptions options, @Nullable MicroClock virtual) {
    this.address = address;
    this.options = options;
    this.clock = virtual == null ? MicroClock.system() : virtual;
    this.virtual = virtual != null;
    this.front = front(this);
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "sluice-redis-timer");
              thread.setDaemon(true);
              return thread;
            });
    this.timer.setRemoveOnCancelPolicy(true);
    this.watch = new Watch(address);
    this.transport =
        address.kind() == RedisAddress.Kind.CLUSTER
            ? new ClusterTransport(
                address, options, timer, virtual, this::onConnect, watch::stateLost)
            : new ServerTransport(address, options, timer, virtual, this::onConnect);
  }

  /** As {@link #connect(RedisAddress, RedisOptions)}, with the default options. */
  public static RedisStore connect(String address) {
    return connect(RedisAddress.parse(address), RedisOptions.defaults());
  }

  /**
   * Opens the store, and makes a few decisions so that the first callers need not wait for classes
   * to be loaded. A server that is out of reach is only warned of: it is connected to as soon as it
   * can be, and until then no decision is made.
   *
   * @throws StoreConfigurationException if the server answers and cannot work: it refuses the
   *     credentials, is too old or forbids commands
   */
  public static RedisStore connect(RedisAddress address, RedisOptions options) {
    RedisStore store = connect(address, options, null);
    if (store.transport.connected()) {
      WarmUp.run(store, options);
    }
    return store;
  }

  /**
   * As {@link #connect(RedisAddress, RedisOptions)}, for those who cannot do without the server.
   *
   * @throws StoreUnavailableException if the server is out of reach
   */
  public static RedisStore connectNow(RedisAddress address, RedisOptions options) {
    RedisStore store = new RedisStore(address, options, null);
    store
        .awaitFirst()
        .ifPresent(
            why -> {
              store.close();
              throw new StoreUnavailableException(
                  RedisFailure.UNREACHABLE.reason(),
                  "redis: %s is out of reach: %s".formatted(address, why),
                  null);
            });
    WarmUp.run(store, options);
    return store;
  }

  /**
   * As above, without first decisions; for tests, with a clock that is sent along and decides in
   * place of the server's.
   */
  static RedisStore connect(
      RedisAddress address, RedisOptions options, @Nullable MicroClock virtual) {
    RedisStore store = new RedisStore(address, options, virtual);
    store.awaitFirst().ifPresent(store.watch::tryingOn);
    return store;
  }

  private Optional<String> awaitFirst() {
    try {
      return watch.awaitFirst(transport::connect, options.connectTimeout());
    } catch (StoreConfigurationException unusable) {
      close();
      throw unusable;
    }
  }

  private void onConnect() {
    watch.connected(Objects.requireNonNull(transport));
  }

  @Override
  public Decision decide(Request request) {
    Prepared plan = Prepared.of(request.plan(), this);
    Lanes lanes = transport.lanes(plan, request.key());
    return lanes == null
        ? decideNow(List.of(request)).get(0)
        : lanes.decide(ticket(request, plan, lanes, System.nanoTime(), null));
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request) {
    Prepared plan = Prepared.of(request.plan(), this);
    Lanes lanes = transport.lanes(plan, request.key());
    return lanes == null
        ? decideSoon(request)
        : lanes.decideSoon(ticket(request, plan, lanes, System.nanoTime(), null));
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request, Ending then) {
    return decideAsync(request, System.nanoTime(), then);
  }

  @Override
  public CompletableFuture<Decision> decideAsync(Request request, long startedNanos, Ending then) {
    Prepared plan = Prepared.of(request.plan(), this);
    Lanes lanes = transport.lanes(plan, request.key());
    return lanes == null
        ? decideSoon(request).handle(then)
        : lanes.decideSoon(ticket(request, plan, lanes, startedNanos, then));
  }

  private CompletableFuture<Decision> decideSoon(Request request) {
    return decideSoon(List.of(request)).thenApply(decisions -> decisions.get(0));
  }

  /** The short way to a key, where it is open; else null. For tests. */
  @Nullable Lanes lanes(Plan plan, String key) {
    return transport.lanes(Prepared.of(plan, this), key);
  }

  private Ticket ticket(
      Request request, Prepared plan, Lanes lanes, long started, Store.@Nullable Ending then) {
    Breaker breaker = breaker(lanes.node());
    Duration deadline = request.plan().deadline().orElse(options.deadline());
    return new Ticket(office, breaker, request, plan, deadline, started, then);
  }

  /** How tickets come back to this store. */
  private final class Counter implements Ticket.Office {
    @Override
    public Call call(Request request) {
      return Call.of(List.of(request), RedisStore.this, nowMicros());
    }

    @Override
    public CompletableFuture<Decision> decideElsewhere(
        Ticket ticket, @Nullable List<Object> undecided) {
      List<Request> requests = List.of(ticket.request());
      Call call = undecided == null ? call(ticket.request()) : again(requests, undecided);
      return decideSoon(requests, call, ticket.startedNanos(), undecided == null ? 1 : 2)
          .thenApply(decisions -> decisions.get(0));
    }

    @Override
    public void reconnect(Ticket ticket) {
      transport.reconnect(call(ticket.request()));
    }
  }

  @Override
  public List<Decision> decideTogether(List<Request> requests) {
    if (inOneCall(requests)) {
      return decideNow(requests);
    }
    return AcrossSlots.join(new AcrossSlots(this, requests).decide());
  }

  @Override
  public CompletableFuture<List<Decision>> decideTogetherAsync(List<Request> requests) {
    return inOneCall(requests) ? decideSoon(requests) : new AcrossSlots(this, requests).decide();
  }

  private boolean inOneCall(List<Request> requests) {
    byte[] first = keyOf(requests.get(0));
    return requests.stream().allMatch(request -> transport.together(first, keyOf(request)));
  }

  /** Whether two requests can be in one call. */
  boolean together(Request request, Request other) {
    return transport.together(keyOf(request), keyOf(other));
  }

  private byte[] keyOf(Request request) {
    return Call.of(List.of(request), this, nowMicros()).keys().get(0);
  }

  private List<Decision> decideNow(List<Request> requests) {
    long started = System.nanoTime();
    List<Object> reply = attempt(requests, Call.of(requests, this, nowMicros()), started).await();
    for (int round = 1; Reply.undecided(reply) && round < MOST_ROUNDS; round++) {
      reply = attempt(requests, anew(requests, reply), started).await();
    }
    return decisions(requests, reply);
  }

  CompletableFuture<List<Decision>> decideSoon(List<Request> requests) {
    long started = System.nanoTime();
    Call call = Call.of(requests, this, nowMicros());
    return decideSoon(requests, call, started, 1);
  }

  private CompletableFuture<List<Decision>> decideSoon(
      List<Request> requests, Call call, long started, int round) {
    return attempt(requests, call, started)
        .expiring()
        .thenCompose(
            reply ->
                Reply.undecided(reply) && round < MOST_ROUNDS
                    ? decideSoon(requests, anew(requests, reply), started, round + 1)
                    : CompletableFuture.completedFuture(decisions(requests, reply)));
  }

  private Attempt attempt(List<Request> requests, Call call, long started) {
    Breaker breaker = breaker(transport.nodeOf(call));
    String policy = requests.get(0).plan().policy();
    Call sent = virtual ? call.at(clock.nowMicros()) : call;
    return new Attempt(transport, timer, breaker, policy, sent, started, deadline(requests))
        .start();
  }

  private Breaker breaker(Object node) {
    Breaker known = breakers.get(node);
    return known == null ? breakers.computeIfAbsent(node, unknown -> new Breaker()) : known;
  }

  /** The shortest of those that the policies name; else the store's own. */
  private Duration deadline(List<Request> requests) {
    Duration shortest = null;
    for (Request request : requests) {
      Duration own = request.plan().deadline().orElse(options.deadline());
      shortest = shortest == null || own.compareTo(shortest) < 0 ? own : shortest;
    }
    return shortest == null ? options.deadline() : shortest;
  }

  private Call again(List<Request> requests, List<Object> reply) {
    aheadMicros = Reply.nowMicros(reply) - clock.nowMicros();
    return Call.again(requests, this, reply);
  }

  /** As {@link #again}, where no ticket tells of a reply that cannot be read. */
  private Call anew(List<Request> requests, List<Object> reply) {
    try {
      return again(requests, reply);
    } catch (RuntimeException unreadable) {
      throw unreadable(requests, unreadable);
    }
  }

  private long nowMicros() {
    return clock.nowMicros() + aheadMicros;
  }

  private static List<Decision> decisions(List<Request> requests, List<Object> reply) {
    try {
      return Reply.decode(requests, reply);
    } catch (RuntimeException unreadable) {
      throw unreadable(requests, unreadable);
    }
  }

  private static StoreUnavailableException unreadable(List<Request> requests, Throwable cause) {
    return new StoreUnavailableException(
        RedisFailure.REPLY.reason(),
        "redis: no decision for policy '%s': the reply makes no sense"
            .formatted(requests.get(0).plan().policy()),
        cause);
  }

  /** Denials are repeated for a while, and leased policies decided from slices. */
  @Override
  public Store tiers(Store asked) {
    return asked.equals(this) ? front : front(asked);
  }

  private Store front(Store asked) {
    // A test that brings its own clock wants to hear what the script says at every instant of it.
    return virtual ? asked : new TieredStore(asked, options.denialsHeld());
  }

  /** Whether decisions can be made now. */
  public boolean ready() {
    return health().ready();
  }

  /** How the store is doing. Cheap: it asks nobody. */
  public RedisHealth health() {
    // A node that left its cluster is not asked again, so its breaker would never close.
    breakers.keySet().retainAll(transport.nodes());
    BreakerState worst = BreakerState.CLOSED;
    for (Breaker breaker : breakers.values()) {
      BreakerState state = breaker.state();
      worst = state.compareTo(worst) > 0 ? state : worst;
    }
    boolean ready = transport.connected() && worst == BreakerState.CLOSED;
    return watch.health(ready, worst);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    try {
      // Whoever is just about to connect does so first: Netty complains about those who come late.
      boolean unused = timer.awaitTermination(LONGEST_GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
    transport.close();
  }

  /** The address, without its password. */
  @Override
  public String toString() {
    return address.toString();
  }
}
