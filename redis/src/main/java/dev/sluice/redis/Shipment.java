package dev.sluice.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * Parcels that travel over one wire in one write. Each is sent once; again only with the script's
 * source, after the server has said that it does not know the script.
 */
final class Shipment {
  private final List<Ticket> tickets;
  private final List<Parcel> parcels;
  // Made before there is a wire: a failure from then on must not keep the wire.
  private final List<Object> replies;

  Shipment(List<Ticket> tickets, List<Parcel> parcels) {
    this.tickets = tickets;
    this.parcels = parcels;
    this.replies = new ArrayList<>(parcels.size());
  }

  /** Sends, waits, gives the wire back and tells everybody his answer, in this order. */
  void run(Wire wire, Lanes lanes) {
    try {
      wire.carry(tickets);
      lanes.watch(tickets);
      for (Parcel parcel : parcels) {
        wire.write(parcel.call(), Transport.Form.HASH);
      }
      if (!(Thread.currentThread() instanceof Lane)) {
        // A lane had better let those run who will travel with it next.
        wire.lookOut();
      }
      while (replies.size() < parcels.size()) {
        replies.add(wire.read());
      }
      sendSources(wire);
      lanes.giveBack(wire);
    } catch (TransportException | RuntimeException | Error failed) {
      lanes.discard(wire);
      TransportException lost = Attempt.problem(failed);
      while (replies.size() < parcels.size()) {
        replies.add(lost);
      }
    }
    deliver();
  }

  private void sendSources(Wire wire) throws TransportException {
    List<Integer> unknown = new ArrayList<>(0);
    for (int i = 0; i < replies.size(); i++) {
      if (replies.get(i) instanceof TransportException problem
          && problem.failure().remedy() == RedisFailure.Remedy.SEND_SOURCE) {
        wire.write(parcels.get(i).call(), Transport.Form.SOURCE);
        unknown.add(i);
      }
    }
    for (int i : unknown) {
      replies.set(i, wire.read());
    }
  }

  private void deliver() {
    for (int i = 0; i < parcels.size(); i++) {
      try {
        deliver(parcels.get(i), replies.get(i));
      } catch (RuntimeException | Error unforeseen) {
        // Nobody else would end the wait of those in it.
        parcels.get(i).failed(Attempt.problem(unforeseen));
      }
    }
  }

  @SuppressWarnings("unchecked") // Wire gives lists of objects or exceptions
  private static void deliver(Parcel parcel, Object reply) {
    if (reply instanceof TransportException problem) {
      parcel.failed(problem);
    } else {
      parcel.answered((List<Object>) reply);
    }
  }
}
