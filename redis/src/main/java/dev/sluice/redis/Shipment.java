package dev.sluice.redis;

import java.util.ArrayList;
import java.util.List;

/**
 * Parcels that travel over one wire in one write. Each is sent once; again only with the script's
 * source, after the server has said that it does not know the script.
 */
record Shipment(List<Ticket> tickets, List<Parcel> parcels) {
  /** Sends, waits, gives the wire back and tells everybody his answer, in this order. */
  void run(Wire wire, Lanes lanes) {
    wire.carry(tickets);
    lanes.watch(tickets);
    List<Object> replies = new ArrayList<>(parcels.size());
    try {
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
      sendSources(wire, replies);
      lanes.giveBack(wire);
    } catch (TransportException | RuntimeException | Error failed) {
      lanes.discard(wire);
      TransportException lost = Attempt.problem(failed);
      while (replies.size() < parcels.size()) {
        replies.add(lost);
      }
    }
    deliver(replies);
  }

  private void sendSources(Wire wire, List<Object> replies) throws TransportException {
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

  @SuppressWarnings("unchecked") // Wire gives lists of objects or exceptions
  private void deliver(List<Object> replies) {
    for (int i = 0; i < parcels.size(); i++) {
      if (replies.get(i) instanceof TransportException problem) {
        parcels.get(i).failed(problem);
      } else {
        parcels.get(i).answered((List<Object>) replies.get(i));
      }
    }
  }
}
