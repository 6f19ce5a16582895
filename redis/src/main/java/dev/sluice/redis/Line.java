package dev.sluice.redis;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tickets that wait for a wire, in the order in which they came. */
final class Line {
  private final ConcurrentLinkedQueue<Ticket> tickets = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final int most;

  /**
   * An empty line.
   *
   * @param most how many may wait
   */
  Line(int most) {
    this.most = most;
  }

  /** Lines up; false if too many wait already. */
  boolean add(Ticket ticket) {
    if (waiting.incrementAndGet() > most) {
      waiting.decrementAndGet();
      return false;
    }
    return tickets.add(ticket);
  }

  /** The next who still waits; null if nobody does. */
  @Nullable Ticket next() {
    for (Ticket ticket = tickets.poll(); ticket != null; ticket = tickets.poll()) {
      waiting.decrementAndGet();
      if (ticket.wanted()) {
        return ticket;
      }
    }
    return null;
  }

  boolean isEmpty() {
    return tickets.isEmpty();
  }

  void forEach(Consumer<Ticket> look) {
    tickets.forEach(look);
  }
}
