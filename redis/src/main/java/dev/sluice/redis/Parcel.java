package dev.sluice.redis;

import java.util.List;

/** One script call on its way, and those who wait for its answer. */
interface Parcel {
  Call call();

  /** The script's reply. */
  void answered(List<Object> reply);

  /** There is none, for this reason. */
  void failed(TransportException problem);

  /** A single request, decided by the script of its plan. */
  record Single(Ticket ticket, Call call) implements Parcel {
    @Override
    public void answered(List<Object> reply) {
      ticket.answered(reply);
    }

    @Override
    public void failed(TransportException problem) {
      ticket.failed(problem);
    }
  }
}
