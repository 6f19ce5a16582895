package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.MicroClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The short way to one server: few blocking connections, and requests that share them.
 *
 * <p>A caller who finds nobody waiting and every {@link Wire} free sends his request himself and waits
 * for the reply on his own thread: nobody has to be woken, neither to send nor to answer. All
 * others line up, and a {@link Lane} takes whoever stands in line as soon as a wire is free: plain
 * requests in one script call ({@link Batch}), the rest behind it in the same write. So nothing
 * waits on purpose, and the busier it gets, the more travel together.
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

  private final Object node;
  private final int most;
  private final boolean apart;
  private final Deadlines deadlines;
  private final int mostWaiting;
  private final @Nullable MicroClock virtual;
  private final ConcurrentLinkedQueue<Ticket> line = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final ConcurrentLinkedDeque<Wire> free = new ConcurrentLinkedDeque<>();
  private final Set<Wire> open = ConcurrentHashMap.newKeySet();
  private final List<Lane> lanes = new ArrayList<>();
  private final Wiring wiring;

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
    this.node = node;
    this.deadlines = new Deadlines(timer, this::sweep);
    this.mostWaiting = options.maxWaiting();
    this.virtual = virtual;
    this.most = most;
    this.apart = address.kind() == RedisAddress.Kind.CLUSTER;
    this.wiring = new Wiring(address, options, this);
    for (int i = 0; i < most; i++) {
      lanes.add(new Lane(this, i));
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
      Wire wire = unused() ? free.poll() : null;
      if (wire == null) {
        enqueue(ticket);
        wakeIfUseful();
      } else {
        deadlines.watch(ticket.deadlineNanos());
        new Shipment(List.of(ticket), List.of(single(ticket))).run(wire, this);
      }
    }
    return ticket.await();
  }

  /**
   * Whether nobody waits and nothing is in flight. A busy machine may let the thread that reads a
   * reply wait for its turn, and the wire with it: then a lane serves more callers at once.
   */
  private boolean unused() {
    return line.isEmpty() && free.size() == open.size();
  }

  /** Decides on a lane; completes on its thread. */
  CompletableFuture<Decision> decideSoon(Ticket ticket) {
    if (!ticket.refused()) {
      enqueue(ticket);
      // A lane that hands out answers looks at the line itself when it is through: if it woke the
      // other for the first who asks again, that one would leave with nobody else aboard.
      if (!(Thread.currentThread() instanceof Lane)) {
        wakeIfUseful();
      }
    }
    return ticket;
  }

  private void enqueue(Ticket ticket) {
    if (waiting.incrementAndGet() > mostWaiting) {
      waiting.decrementAndGet();
      ticket.fail(RedisFailure.OVERLOAD, ": %d calls wait already".formatted(mostWaiting), null);
      return;
    }
    deadlines.watch(ticket.deadlineNanos());
    line.add(ticket);
    if (open.isEmpty()) {
      // The last wire was lost meanwhile.
      sendElsewhere();
    }
  }

  /** The next in line who still waits; null if nobody does. */
  @Nullable Ticket next() {
    for (Ticket ticket = line.poll(); ticket != null; ticket = line.poll()) {
      waiting.decrementAndGet();
      if (ticket.wanted()) {
        return ticket;
      }
    }
    return null;
  }

  /** Whether every wire is in use. */
  boolean busy() {
    return free.isEmpty();
  }

  /** Whether there is nothing that a lane could do. */
  boolean idle() {
    return line.isEmpty() || busy();
  }

  @Nullable Wire takeWire() {
    return free.poll();
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
    for (Ticket ticket = next(); ticket != null; ticket = next()) {
      ticket.decideElsewhere();
    }
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
    line.forEach(sweep::look);
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
