package dev.sluice.redis;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Has somebody look at all that wait whenever the next deadline is due. A timer for each request
 * would cost more than the request does; with equal deadlines this is one task for all that arrive
 * in the time of one.
 */
final class Deadlines {
  // As far away as moments of nanoTime can be compared.
  private static final long FAR_NANOS = Long.MAX_VALUE / 2;

  private final ScheduledExecutorService timer;
  private final Consumer<Sweep> sweeper;
  // The moment of the next sweep that is planned; far away if none is.
  private final AtomicLong planned = new AtomicLong(System.nanoTime() + FAR_NANOS);

  Deadlines(ScheduledExecutorService timer, Consumer<Sweep> sweeper) {
    this.timer = timer;
    this.sweeper = sweeper;
  }

  /** One look at all that wait. */
  static final class Sweep {
    private final long nowNanos = System.nanoTime();
    private long nextNanos = nowNanos + FAR_NANOS;

    /** Lets a ticket go if its time is over; whether somebody waits for it after that. */
    boolean look(Ticket ticket) {
      if (ticket.settled() || ticket.expire(nowNanos)) {
        return false;
      }
      long due = ticket.deadlineNanos();
      nextNanos = due - nextNanos < 0 ? due : nextNanos;
      return true;
    }
  }

  /** Makes sure that there is a sweep at this moment, or earlier. */
  @SuppressWarnings("FutureReturnValueIgnored") // the timer's future fails only with the timer
  void watch(long deadlineNanos) {
    long seen = planned.get();
    if (deadlineNanos - seen < 0 && planned.compareAndSet(seen, deadlineNanos)) {
      try {
        timer.schedule(
            () -> run(deadlineNanos), deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException closed) {
        // The store is closed, and so are its connections: nobody waits.
        return;
      }
    } else if (deadlineNanos - seen < 0) {
      watch(deadlineNanos);
    }
  }

  private void run(long moment) {
    // Whoever comes from now on, and is not seen below, plans a sweep of his own.
    planned.compareAndSet(moment, System.nanoTime() + FAR_NANOS);
    Sweep sweep = new Sweep();
    sweeper.accept(sweep);
    if (sweep.nextNanos - sweep.nowNanos < FAR_NANOS) {
      watch(sweep.nextNanos);
    }
  }
}
