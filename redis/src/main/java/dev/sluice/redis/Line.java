package dev.sluice.redis;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tickets that wait for a wire, in the order in which they came: a ring of places. Who comes takes
 * the next place by compare-and-set, and then stands there; who serves takes many at a time, under
 * a lock that those who come do not need.
 *
 * <p>Where the line begins and where it ends lie far from each other and from other lines, or two
 * lanes would pass a line of the processor's cache to and fro (bench/notes.md).
 */
final class Line {
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
  Line(int most) {
    int capacity = Integer.highestOneBit(2 * most - 1);
    this.places = new AtomicReferenceArray<>(capacity);
    this.mask = capacity - 1;
    this.most = most;
  }

  /** Lines up; false if too many wait already. */
  boolean add(Ticket ticket) {
    while (true) {
      long place = bounds.getAcquire(END);
      if (place - bounds.getAcquire(FIRST) >= most) {
        return false;
      }
      if (bounds.compareAndSet(END, place, place + 1)) {
        // Whoever looks for work, or for deadlines, sees it before he is asked to look again.
        places.set((int) place & mask, ticket);
        return true;
      }
    }
  }

  /** Takes up to so many out, the first first. One whom nobody waits for any more is among them. */
  synchronized void takeTo(List<Ticket> out, int atMost) {
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

  /**
   * Whether nobody waits. One who has just taken his place and does not stand there yet does not.
   */
  boolean isEmpty() {
    return places.getAcquire((int) bounds.getAcquire(FIRST) & mask) == null;
  }

  /** Looks at everybody who is here from now on until the look is over. */
  void forEach(Consumer<Ticket> look) {
    long end = bounds.getAcquire(END);
    for (long place = bounds.getAcquire(FIRST); place < end; place++) {
      Ticket ticket = places.getAcquire((int) place & mask);
      if (ticket != null) {
        look.accept(ticket);
      }
    }
  }
}
