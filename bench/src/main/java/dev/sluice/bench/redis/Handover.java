package dev.sluice.bench.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * No Redis and no limit: a thread that lets all go who wait for it. What callers who share
 * connections, and therefore sleep until their answer is there, can reach at most.
 */
final class Handover implements Subject {
  private final ConcurrentLinkedQueue<Caller> callers = new ConcurrentLinkedQueue<>();
  private final Thread thread = new Thread(this::answer, "handover");
  private final AtomicBoolean asleep = new AtomicBoolean();
  private volatile boolean closed;

  private static final class Caller {
    private final Thread thread = Thread.currentThread();
    private volatile boolean answered;
  }

  Handover() {
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public boolean ask(String key) {
    Caller caller = new Caller();
    callers.add(caller);
    if (asleep.get() && asleep.compareAndSet(true, false)) {
      LockSupport.unpark(thread);
    }
    while (!caller.answered) {
      LockSupport.park(caller);
    }
    return true;
  }

  private void answer() {
    List<Caller> together = new ArrayList<>();
    while (!closed) {
      for (Caller caller = callers.poll(); caller != null; caller = callers.poll()) {
        together.add(caller);
      }
      for (Caller caller : together) {
        caller.answered = true;
        LockSupport.unpark(caller.thread);
      }
      if (together.isEmpty()) {
        asleep.set(true);
        while (asleep.get() && callers.isEmpty() && !closed) {
          LockSupport.park(this);
        }
        asleep.set(false);
      }
      together.clear();
    }
  }

  @Override
  public CompletionStage<Boolean> askAsync(String key) {
    throw new UnsupportedOperationException("nobody sleeps who has something in flight");
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
