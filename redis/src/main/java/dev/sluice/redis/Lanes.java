package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.MicroClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The short way to one server: few blocking connections, and requests that share them.
 *
 * <p>A caller who finds nobody waiting and every {@link Wire} free sends his request himself and
 * waits for the reply on his own thread: nobody has to be woken, neither to send nor to answer. Not
 * so on a virtual thread, whose interrupt would close the wire. All others line up, and a {@link
 * Lane} takes whoever stands in line as soon as a wire is free: plain requests in one script call
 * ({@link Batch}), the rest behind it in the same write. So nothing waits on purpose, and the
 * busier it gets, the more travel together. Who stands in line lets others run before he sleeps,
 * and a lane before it takes them, where that pays ({@link Yielding}). What an answer makes its
 * caller ask again waits in a line of that lane, so that two lanes do not get in each other's way.
 *
 * <p>Nobody waits longer than his own deadline. A sweep, due whenever the next deadline of all is,
 * lets those go whose time is over, and cuts a wire when nobody aboard waits any more: its reader
 * sits in a read without a limit, which costs one system call instead of three.
 *
 * <p>The wires live as long as Lettuce's connection to the same server ({@link Link}), which
 * notices at once when the server goes; while there is none, everything takes Lettuce's way.
 */
final class Lanes {
  /** To a single server: while one call is answered the server has the next. */
  static final int WIRES = 2;

  /** To each node of a cluster, where the other nodes have the next. */
  static final int WIRES_TO_NODE = 1;

  private static final int HANDFUL = 64;

  private final Object node;
  private final int most;
  private final boolean apart;
  private final Deadlines deadlines;
  private final int mostWaiting;
  private final @Nullable MicroClock virtual;
  private final Lines lines;
  private final ConcurrentLinkedDeque<Wire> free = new ConcurrentLinkedDeque<>();
  private final Set<Wire> open = new CopyOnWriteArraySet<>();
  private final List<Lane> lanes = new ArrayList<>();
  private final Wiring wiring;
  private final Yielding yielding;

  /**
   * Lanes that are not connected yet.
   *
   * @param node names the server as {@link Transport#nodeOf} does
   * @param most how many wires there are, and lanes to serve them
   * @param virtual in place of the server's clock, for tests; else null
   */
  Lanes(
      Object node,
      int most,
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      @Nullable MicroClock virtual) {
    this(node, most, address, options, timer, virtual, new Yielding());
  }

  /** As above; for tests, with others who run. */
  Lanes(
      Object node,
      int most,
      RedisAddress address,
      RedisOptions options,
      ScheduledExecutorService timer,
      @Nullable MicroClock virtual,
      Yielding yielding) {
    this.yielding = yielding;
    this.node = node;
    this.deadlines = new Deadlines(timer, this::sweep);
    this.mostWaiting = options.maxWaiting();
    this.lines = new Lines(most, mostWaiting);
    this.virtual = virtual;
    this.most = most;
    this.apart = address.kind() == RedisAddress.Kind.CLUSTER;
    this.wiring = new Wiring(address, options, this);
    for (int i = 0; i < most; i++) {
      lanes.add(new Lane(this, i, lines));
    }
  }

  /** Starts the threads. */
  void start() {
    wiring.start();
    lanes.forEach(Lane::start);
  }

  /** The server, as {@link Transport#nodeOf} names it. */
  Object node() {
    return node;
  }

  /** Connects to a server, in the background. */
  void open(RedisAddress.Node node) {
    leave();
    wiring.to(node);
  }

  /** Leaves the server: whoever waits for a reply is told that it was lost. */
  void leave() {
    wiring.to(null);
    open.forEach(this::discard);
    sendElsewhere();
  }

  /** Whether requests can be sent now. */
  boolean usable() {
    return !open.isEmpty();
  }

  /** Decides, on this thread if possible. */
  Decision decide(Ticket ticket) {
    if (!ticket.refused()) {
      boolean cheapSleeper = VirtualThreads.isCurrent();
      if (cheapSleeper || !sendsHimself(ticket)) {
        enqueue(ticket);
        wakeIfUseful();
        if (!cheapSleeper) {
          yielding.until(ticket::isDone);
        }
      }
    }
    return ticket.await();
  }

  private boolean sendsHimself(Ticket ticket) {
    if (!unused()) {
      return false;
    }
    Shipment alone;
    try {
      alone = new Shipment(List.of(ticket), List.of(single(ticket)));
    } catch (RuntimeException | Error impossible) {
      ticket.notSent(impossible);
      return true;
    }
    Wire wire = takeWire();
    if (wire == null) {
      return false;
    }
    alone.run(wire, this);
    return true;
  }

  /**
   * Whether nobody waits and nothing is in flight. A busy machine may let the thread that reads a
   * reply wait for its turn, and the wire with it: then a lane serves more callers at once.
   */
  private boolean unused() {
    return lines.isEmpty() && free.size() == open.size();
  }

  /** Decides on a lane; completes on its thread. */
  CompletableFuture<Decision> decideSoon(Ticket ticket) {
    if (!ticket.refused()) {
      Line own = ownLine();
      if (own == null) {
        enqueue(ticket);
        wakeIfUseful();
      } else {
        // A lane that hands out answers looks at its line itself when it is through: if it woke
        // the other for the first who asks again, that one would leave with nobody else aboard.
        enqueue(ticket, own);
      }
    }
    return ticket;
  }

  /** The line of this thread, if it is one of the lanes: no other thread adds to it. */
  private @Nullable Line ownLine() {
    return Thread.currentThread() instanceof Lane lane && lane.isOf(this) ? lane.line() : null;
  }

  private void enqueue(Ticket ticket) {
    enqueue(ticket, lines.shared());
  }

  private void enqueue(Ticket ticket, Line to) {
    if (!to.add(ticket)) {
      ticket.fail(RedisFailure.OVERLOAD, ": %d calls wait already".formatted(mostWaiting), null);
    }
    // Not before it stands in line, where a sweep sees it.
    deadlines.watch(ticket.deadlineNanos());
    if (open.isEmpty()) {
      // The last wire was lost meanwhile.
      sendElsewhere();
    }
  }

  /** Has somebody look after those who are aboard a wire, where no sweep saw them before. */
  void watch(List<Ticket> aboard) {
    for (Ticket ticket : aboard) {
      deadlines.watch(ticket.deadlineNanos());
    }
  }

  /** Lets those run who may travel together, if any do. */
  void letCallersCome() {
    yielding.once();
  }

  /** Whether every wire is in use. */
  boolean busy() {
    return free.isEmpty();
  }

  /** Whether there is nothing that a lane could do. */
  boolean idle() {
    return busy() || lines.isEmpty();
  }

  /** A wire that nobody uses. One that was closed while it came back is not given to anybody. */
  @Nullable Wire takeWire() {
    Wire wire = free.poll();
    while (wire != null && wire.closed()) {
      discard(wire);
      wire = free.poll();
    }
    return wire;
  }

  void giveBack(Wire wire) {
    if (!wire.unload() || wire.closed() || !open.contains(wire)) {
      discard(wire);
      return;
    }
    free.push(wire);
    wakeIfUseful();
  }

  void add(Wire wire) {
    open.add(wire);
    giveBack(wire);
  }

  /** Closes a wire for good; another is made in its place. */
  void discard(Wire wire) {
    wire.close();
    free.remove(wire);
    if (open.remove(wire)) {
      wiring.mend();
    }
    if (open.isEmpty()) {
      sendElsewhere();
    }
  }

  /** Whether all wires are open. */
  boolean complete() {
    return open.size() >= most;
  }

  /** What requests that share a call must have in common: the slot, where there are slots. */
  int slotOf(Ticket ticket) {
    return apart ? ClusterSlots.slotOf(ticket.plan(), ticket.request().key()) : 0;
  }

  /** Asks each wire that nobody uses whether it still works. */
  void checkFreeWires() {
    for (int i = open.size(); i > 0; i--) {
      Wire wire = free.pollLast();
      if (wire != null && wire.alive()) {
        giveBack(wire);
      } else if (wire != null) {
        discard(wire);
      }
    }
  }

  private void sendElsewhere() {
    List<Ticket> left = new ArrayList<>(HANDFUL);
    do {
      for (Ticket ticket : left) {
        if (ticket.wanted()) {
          ticket.sendElsewhere();
        }
      }
      left.clear();
      lines.takeTo(left, HANDFUL);
    } while (!left.isEmpty());
  }

  /** Wakes a lane if there is something to do, and one that does nothing. */
  void wakeIfUseful() {
    if (idle()) {
      return;
    }
    for (Lane lane : lanes) {
      if (lane.wake()) {
        return;
      }
    }
  }

  Parcel single(Ticket ticket) {
    return new Parcel.Single(ticket, at(ticket.call()));
  }

  /** A test's own time, in place of the server's. */
  Call at(Call call) {
    return virtual == null ? call : call.at(virtual.nowMicros());
  }

  /** Lets go whose time is over; the earliest deadline of the others. */
  private void sweep(Deadlines.Sweep sweep) {
    lines.forEach(sweep::look);
    for (Wire wire : open) {
      List<Ticket> aboard = wire.aboard();
      boolean wanted = aboard.isEmpty();
      for (Ticket ticket : aboard) {
        wanted |= sweep.look(ticket);
      }
      if (!wanted && wire.cut(aboard)) {
        discard(wire);
      }
    }
  }

  void close() {
    wiring.close();
    lanes.forEach(Lane::close);
    leave();
  }
}
