package dev.sluice.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A line to which only one thread comes, the lane's own: a ring of places. To come takes a single
 * fence; those who serve, that lane and others while it is busy, take many at a time under a lock.
 *
 * <p>Where the line begins and where it ends lie far from each other and from other lines, or two
 * lanes would pass a line of the processor's cache to and fro (bench/notes.md).
 */
final class OwnLine implements Line {
  // In longs: processors fetch lines of 64 bytes in pairs.
  private static final int APART = 16;
  private static final int FIRST = APART;
  private static final int END = 2 * APART;

  private final AtomicReferenceArray<@Nullable Ticket> places;
  private final AtomicLongArray bounds = new AtomicLongArray(3 * APART);
  private final int mask;
  private final int most;

  /**
   * An empty line.
   *
   * @param most how many may wait
   */
  OwnLine(int most) {
    int capacity = Integer.highestOneBit(2 * most - 1);
    this.places = new AtomicReferenceArray<>(capacity);
    this.mask = capacity - 1;
    this.most = most;
  }

  @Override
  public boolean add(Ticket ticket) {
    long first = bounds.getAcquire(FIRST);
    // Not before the first: one who came, and had no stack left to say so, may have been served.
    long place = Math.max(first, bounds.getPlain(END));
    if (place - first >= most) {
      return false;
    }
    // Whoever looks for work, or for deadlines, sees it before he is asked to look again.
    places.set((int) place & mask, ticket);
    bounds.setRelease(END, place + 1);
    return true;
  }

  @Override
  public synchronized void takeTo(List<Ticket> out, int atMost) {
    long first = bounds.getPlain(FIRST);
    try {
      for (long end = first + atMost; first < end; first++) {
        int at = (int) first & mask;
        Ticket ticket = places.getAcquire(at);
        if (ticket == null) {
          return;
        }
        // In this order: without memory to take him along nobody must leave the line.
        out.add(ticket);
        places.setPlain(at, null);
      }
    } finally {
      bounds.setRelease(FIRST, first);
    }
  }

  @Override
  public boolean isEmpty() {
    return places.getAcquire((int) bounds.getAcquire(FIRST) & mask) == null;
  }

  @Override
  public void forEach(Consumer<Ticket> look) {
    long first = bounds.getAcquire(FIRST);
    long last = Math.min(first + mask, bounds.getAcquire(END));
    // The last may stand there already, though the line does not end behind him yet.
    for (long place = first; place <= last; place++) {
      Ticket ticket = places.getAcquire((int) place & mask);
      if (ticket != null) {
        look.accept(ticket);
      }
    }
  }
}
