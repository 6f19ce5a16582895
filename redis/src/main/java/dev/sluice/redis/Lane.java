package dev.sluice.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A thread that takes those who stand in line to the server, as many together as there are. */
final class Lane extends Thread {
  // A batch must stay well under the shortest deadline: this many take the server half a
  // millisecond.
  private static final int MOST_TICKETS = 256;
  private static final int MOST_KEYS = 64;

  private final Lanes lanes;
  private final AtomicBoolean asleep = new AtomicBoolean();
  private volatile boolean closed;

  Lane(Lanes lanes, int number) {
    super("sluice-redis-lane-" + number);
    this.lanes = lanes;
    setDaemon(true);
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
      Wire wire = lanes.idle() ? null : lanes.takeWire();
      if (wire == null) {
        rest();
        continue;
      }
      Shipment shipment = load();
      // Whom this one could not take.
      lanes.wakeIfUseful();
      if (shipment.tickets().isEmpty()) {
        lanes.giveBack(wire);
      } else {
        shipment.run(wire, lanes);
      }
    }
  }

  private void rest() {
    asleep.set(true);
    while (asleep.get() && lanes.idle() && !closed) {
      LockSupport.park(this);
    }
    asleep.set(false);
  }

  /** Takes from the line what fits. */
  private Shipment load() {
    List<Ticket> tickets = new ArrayList<>();
    Batch batch = new Batch(lanes::at);
    List<Parcel> parcels = new ArrayList<>();
    while (tickets.size() < MOST_TICKETS && batch.groups() + parcels.size() < MOST_KEYS) {
      Ticket ticket = lanes.next();
      if (ticket == null) {
        break;
      }
      tickets.add(ticket);
      if (!ticket.plain() || !batch.add(ticket)) {
        parcels.add(lanes.single(ticket));
      }
    }
    Ticket only = batch.only();
    if (only != null) {
      parcels.add(lanes.single(only));
    } else if (batch.groups() > 0) {
      parcels.add(batch);
    }
    return new Shipment(tickets, parcels);
  }
}
