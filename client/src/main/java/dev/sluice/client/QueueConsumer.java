package dev.sluice.client;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Takes items from a queue and hands each to its work in turn: the worker of a payment queue. Start
 * one on as many threads as calls may be under way at once, on as many machines as you like.
 *
 * <pre>{@code
 * QueueConsumer<Payment> worker = QueueConsumer.of(queue, calls, gateway::pay, this::putBack);
 * executor.execute(worker);
 * }</pre>
 */
public final class QueueConsumer<T> implements Runnable, AutoCloseable {
  private static final long LOOK_UP_MILLIS = 100;

  private final BlockingQueue<T> queue;
  private final Turns turns;
  private final Consumer<T> work;
  private final BiConsumer<T, Throwable> failed;
  private volatile boolean closed;

  private QueueConsumer(
      BlockingQueue<T> queue, Turns turns, Consumer<T> work, BiConsumer<T, Throwable> failed) {
    this.queue = queue;
    this.turns = turns;
    this.work = work;
    this.failed = failed;
  }

  /**
   * A consumer of a queue.
   *
   * @param failed hears of each item whose work threw, an error included, or whose turn would have
   *     come too late; the consumer goes on. What it throws itself ends the consumer.
   */
  public static <T> QueueConsumer<T> of(
      BlockingQueue<T> queue, Calls calls, Consumer<T> work, BiConsumer<T, Throwable> failed) {
    return new QueueConsumer<>(queue, Turns.of(calls), work, failed);
  }

  /** Works until closed or interrupted. An item in hand is finished, or reported as failed. */
  @Override
  public void run() {
    try {
      while (!closed) {
        T item = queue.poll(LOOK_UP_MILLIS, TimeUnit.MILLISECONDS);
        if (item != null) {
          handle(item);
        }
      }
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  private void handle(T item) throws InterruptedException {
    try {
      Turn turn = turns.await();
      try {
        work.accept(item);
      } finally {
        turn.end();
      }
    } catch (InterruptedException stopping) {
      failed.accept(item, stopping);
      throw stopping;
    } catch (Throwable notDone) {
      // Errors as well: an item that was taken is in nobody else's hands.
      failed.accept(item, notDone);
    }
  }

  /** Stops after the item in hand. */
  @Override
  public void close() {
    closed = true;
  }
}
