package dev.sluice.memory;

import dev.sluice.MicroClock;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock for those to whom {@link System#nanoTime} is too dear: a thread looks at the time once in
 * a while, and most token buckets are decided by what it saw last.
 *
 * <p>That can tighten a limit, never loosen it. {@link #nowMicros} runs on from what the thread saw
 * for at most {@link #SLACK_MICROS}, and then stands still until it looks again; so it is never
 * further ahead of {@link #ticks} than that, and never faster than the time. A bucket takes tokens
 * back as of the last tick and, where it was full, counts from {@code SLACK_MICROS} after it: it
 * credits no time that has not passed (TickingClockProperties).
 *
 * <p>What it costs: a bucket that was full refills up to so much later. And time in which the
 * thread was held up for longer, by a busy machine or a pause of the collector, is credited to
 * nobody, so this clock falls behind by as much.
 */
final class TickingClock implements MicroClock, AutoCloseable {
  static final long SLACK_MICROS = 20_000;
  private static final long TICK_NANOS = 1_000_000;

  private final MicroClock exact;
  private final Ticks ticks;
  private volatile Tick last;
  private volatile boolean closed;

  /** What the exact clock showed when it was looked at, and what this one showed. */
  private record Tick(long exact, long shown) {}

  /** A number in an object of its own: every step to it would be paid with every decision. */
  private static final class Ticks implements MicroClock {
    private volatile long shown;

    Ticks(long shown) {
      this.shown = shown;
    }

    @Override
    public long nowMicros() {
      return shown;
    }
  }

  /** A clock that somebody has to {@link #tick}. */
  TickingClock(MicroClock exact) {
    this.exact = exact;
    long now = exact.nowMicros();
    this.last = new Tick(now, now);
    this.ticks = new Ticks(now);
  }

  /** A clock with a thread of its own, until it is closed. */
  static TickingClock start() {
    TickingClock clock = new TickingClock(MicroClock.system());
    Thread thread = new Thread(clock::run, "sluice-clock");
    thread.setDaemon(true);
    thread.start();
    return clock;
  }

  private void run() {
    while (!closed) {
      LockSupport.parkNanos(TICK_NANOS);
      tick();
    }
  }

  void tick() {
    long now = exact.nowMicros();
    long shown = shown(last, now);
    // First, for the clock that runs on must not run away from it.
    ticks.shown = shown;
    last = new Tick(now, shown);
  }

  private static long shown(Tick last, long now) {
    return last.shown + Math.min(SLACK_MICROS, now - last.exact);
  }

  /** The time as the thread saw it last: so cheap that it can be asked for always. */
  MicroClock ticks() {
    return ticks;
  }

  @Override
  public boolean isSteady() {
    return true;
  }

  @Override
  public long nowMicros() {
    return shown(last, exact.nowMicros());
  }

  @Override
  public void close() {
    closed = true;
  }
}
