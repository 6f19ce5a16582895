package dev.sluice.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tickets that wait for a wire, in the order in which they came.
 *
 * <p>What changes with every ticket lies far from what changes in other lines, or two lanes would
 * pass a line of the processor's cache to and fro (bench/notes.md).
 */
final class Line {
  // In longs: processors fetch lines of 64 bytes in pairs.
  private static final int APART = 16;

  private final Queue<Ticket> tickets = new Roomy();
  private final AtomicLongArray waiting = new AtomicLongArray(2 * APART + 1);
  private final int most;

  /** A queue whose ends have no neighbours. */
  @SuppressWarnings({"serial", "unused"}) // never written anywhere; the fields only take room
  private static final class Roomy extends ConcurrentLinkedQueue<Ticket> {
    private long a, b, c, d, e, f, g, h;
    private long i, j, k, l, m, n, o, p;
  }

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
    if (waiting.incrementAndGet(APART) > most) {
      waiting.decrementAndGet(APART);
      return false;
    }
    return tickets.add(ticket);
  }

  /** The next who still waits; null if nobody does. */
  @Nullable Ticket next() {
    for (Ticket ticket = tickets.poll(); ticket != null; ticket = tickets.poll()) {
      waiting.decrementAndGet(APART);
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
