package dev.sluice.redis;

import java.util.List;
import java.util.function.Consumer;

/** Tickets that wait for a wire, in the order in which they came. */
interface Line {
  /** Lines up; false if too many wait already. */
  boolean add(Ticket ticket);

  /** Takes up to so many out, the first first. One whom nobody waits for any more is among them. */
  void takeTo(List<Ticket> out, int atMost);

  /** Whether nobody waits. */
  boolean isEmpty();

  /** Looks at everybody who is here from now on until the look is over. */
  void forEach(Consumer<Ticket> look);
}
