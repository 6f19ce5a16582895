package dev.sluice.redis;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * A line to which many threads come.
 *
 * <p>What changes with every ticket lies far from what changes in other lines, or two lanes would
 * pass a line of the processor's cache to and fro (bench/notes.md).
 */
final class SharedLine implements Line {
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
  SharedLine(int most) {
    this.most = most;
  }

  @Override
  public boolean add(Ticket ticket) {
    if (waiting.incrementAndGet(APART) > most) {
      waiting.decrementAndGet(APART);
      return false;
    }
    return tickets.add(ticket);
  }

  @Override
  public void takeTo(List<Ticket> out, int atMost) {
    int before = out.size();
    for (int i = 0; i < atMost; i++) {
      Ticket ticket = tickets.poll();
      if (ticket == null) {
        break;
      }
      out.add(ticket);
    }
    waiting.addAndGet(APART, before - out.size());
  }

  @Override
  public boolean isEmpty() {
    return tickets.isEmpty();
  }

  @Override
  public void forEach(Consumer<Ticket> look) {
    tickets.forEach(look);
  }
}
