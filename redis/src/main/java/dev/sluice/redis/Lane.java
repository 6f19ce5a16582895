package dev.sluice.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that takes those who stand in line to the server, as many together as there are. */
final class Lane extends Thread {
  // A shipment must stay well under the shortest deadline: this many requests, each for another
  // key, take the server a millisecond.
  static final int MOST_TICKETS = 256;
  // A call of its own takes the server at least as long as so many keys of a batch.
  private static final int SINGLE = 4;
  private static final long BREATH_NANOS = 1_000_000;

  private final Lanes lanes;
  private final Lines lines;
  private final Line line;
  private final AtomicBoolean asleep = new AtomicBoolean();
  private volatile boolean closed;
  private boolean turn;

  /** A lane that has not started. */
  Lane(Lanes lanes, int number, Lines lines) {
    super("sluice-redis-lane-" + number);
    this.lanes = lanes;
    this.lines = lines;
    this.line = lines.of(number);
    setDaemon(true);
  }

  boolean isOf(Lanes some) {
    return lanes.equals(some);
  }

  /** For what this thread asks itself, while it hands out answers. */
  Line line() {
    return line;
  }

  /** Has it look at the line; false if it is doing so already. */
  boolean wake() {
    if (!asleep.get() || !asleep.compareAndSet(true, false)) {
      return false;
    }
    LockSupport.unpark(this);
    return true;
  }

  void close() {
    closed = true;
    LockSupport.unpark(this);
  }

  @Override
  public void run() {
    while (!closed) {
      try {
        Wire wire = lanes.idle() ? null : lanes.takeWire();
        if (wire == null) {
          rest();
        } else {
          serve(wire);
        }
      } catch (RuntimeException | Error unforeseen) {
        // Such as no memory even to tell of too little memory. Without this thread nobody would be
        // served any more.
        LockSupport.parkNanos(this, BREATH_NANOS);
      }
    }
  }

  private void serve(Wire wire) {
    Shipment shipment = prepare(wire);
    // Whom this one could not take.
    lanes.wakeIfUseful();
    if (shipment != null) {
      shipment.run(wire, lanes);
    }
  }

  /** What to send over a wire; null if there is nothing, and then the wire is not kept. */
  private @Nullable Shipment prepare(Wire wire) {
    List<Ticket> tickets = List.of();
    try {
      lanes.letCallersCome();
      tickets = new ArrayList<>(MOST_TICKETS);
      // On a wire that was closed while others ran everybody would be told that his call was lost.
      List<Parcel> parcels = wire.closed() ? List.of() : load(tickets);
      if (!parcels.isEmpty()) {
        return new Shipment(tickets, parcels);
      }
      lanes.giveBack(wire);
    } catch (RuntimeException | Error unforeseen) {
      lanes.discard(wire);
      TransportException lost = Attempt.problem(unforeseen);
      for (Ticket ticket : tickets) {
        ticket.failed(lost);
      }
    }
    return null;
  }

  private void rest() {
    asleep.set(true);
    while (asleep.get() && lanes.idle() && !closed) {
      LockSupport.park(this);
      // Left here by whoever heard an answer on this thread, it would keep the lane awake.
      boolean unused = Thread.interrupted();
    }
    asleep.set(false);
  }

  /** From its own line and from everybody's in turn, so that neither waits for the other. */
  private void takeTo(List<Ticket> tickets, int atMost) {
    int before = tickets.size();
    turn = !turn;
    (turn ? line : lines.shared()).takeTo(tickets, atMost);
    if (tickets.size() == before) {
      (turn ? lines.shared() : line).takeTo(tickets, atMost);
    }
    if (tickets.size() == before) {
      lines.takeTo(tickets, atMost);
    }
  }

  /** Takes from the lines what fits. */
  private List<Parcel> load(List<Ticket> tickets) {
    Map<Integer, Batch> batches = new HashMap<>();
    List<Parcel> parcels = new ArrayList<>();
    int keys = 0;
    int next = 0;
    while (tickets.size() < MOST_TICKETS && keys < MOST_TICKETS) {
      // As many as fit even if each has to travel alone.
      int fit = Math.max(1, (MOST_TICKETS - keys) / SINGLE);
      takeTo(tickets, Math.min(fit, MOST_TICKETS - tickets.size()));
      if (next == tickets.size()) {
        break;
      }
      for (; next < tickets.size(); next++) {
        Ticket ticket = tickets.get(next);
        keys += ticket.wanted() ? load(ticket, batches, parcels) : 0;
      }
    }
    for (Batch batch : batches.values()) {
      Ticket only = batch.only();
      if (only == null) {
        parcels.add(batch);
      } else {
        loadAlone(only, parcels);
      }
    }
    return parcels;
  }

  /** Has a ticket travel with others or alone; how many keys more that is worth. */
  private int load(Ticket ticket, Map<Integer, Batch> batches, List<Parcel> parcels) {
    if (ticket.plain()) {
      Batch batch = batch(lanes.slotOf(ticket), batches);
      int before = batch.groups();
      if (batch.add(ticket)) {
        return before == 0 ? SINGLE : batch.groups() - before;
      }
    }
    loadAlone(ticket, parcels);
    return SINGLE;
  }

  private Batch batch(Integer slot, Map<Integer, Batch> batches) {
    Batch batch = batches.get(slot);
    if (batch == null) {
      batch = new Batch(lanes::at);
      batches.put(slot, batch);
    }
    return batch;
  }

  /** One of whom no call can be made is told so, and harms nobody else. */
  private void loadAlone(Ticket ticket, List<Parcel> parcels) {
    try {
      parcels.add(lanes.single(ticket));
    } catch (RuntimeException | Error impossible) {
      ticket.notSent(impossible);
    }
  }
}
