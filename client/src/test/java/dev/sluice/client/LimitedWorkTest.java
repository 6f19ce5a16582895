package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Executors and queues that wait their turn. */
class LimitedWorkTest {
  private final Sluice sluice = Sluice.inMemory();
  private final ExecutorService threads = Executors.newFixedThreadPool(3);

  @AfterEach
  void close() {
    threads.shutdownNow();
    sluice.close();
  }

  private Calls calls(Limit limit) {
    sluice.limiter("payments", limit);
    return Calls.of(sluice, "payments", "pg1");
  }

  private long remaining() {
    return sluice.limiter("payments").orElseThrow().peek("pg1").remaining();
  }

  @Test
  void everyTaskRunsAndNoneBeforeItsTurn() {
    LimitedExecutor executor =
        LimitedExecutor.of(Runnable::run, calls(Limit.slidingLog(1, Duration.ofMillis(20))));
    List<Integer> ran = new CopyOnWriteArrayList<>();
    long started = System.nanoTime();
    List<CompletableFuture<Boolean>> submitted = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int number = i;
      submitted.add(executor.submit(() -> ran.add(number)));
    }
    submitted.forEach(CompletableFuture::join);
    assertThat(System.nanoTime() - started).isGreaterThan(Duration.ofMillis(375).toNanos());
    assertThat(ran).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 20).boxed().toList());
  }

  @Test
  void aTaskWhoseTurnComesTooLateIsRejected() {
    LimitedExecutor executor =
        LimitedExecutor.of(threads, calls(Limit.slidingLog(1, Duration.ofHours(1))));
    assertThat(executor.submit(() -> "first").join()).isEqualTo("first");
    assertThatThrownBy(() -> executor.submit(() -> "second").join())
        .hasCauseInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("no turn within PT30S: payments 'pg1' denied by sliding-log");
  }

  @Test
  void aTaskThatThrowsTellsItsCallerAndReleasesWhatItHeld() {
    LimitedExecutor executor = LimitedExecutor.of(threads, calls(Limit.concurrency(1)));
    assertThatThrownBy(
            () ->
                executor
                    .submit(
                        () -> {
                          throw new IllegalStateException("on purpose");
                        })
                    .join())
        .hasRootCauseMessage("on purpose");
    await().until(() -> remaining() == 1);
    executor.execute(() -> {});
    await().until(() -> remaining() == 1);
  }

  @Test
  void aTaskThatThrowsAnErrorTellsItsCallerAndReleasesWhatItHeld() {
    LimitedExecutor executor = LimitedExecutor.of(threads, calls(Limit.concurrency(1)));
    CompletableFuture<String> submitted =
        executor.submit(
            () -> {
              throw new AssertionError("on purpose");
            });
    assertThatThrownBy(() -> submitted.get(10, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(AssertionError.class)
        .hasMessage("on purpose");
    await().until(() -> remaining() == 1);
  }

  @Test
  void whatAnExecutedTaskThrowsGoesToTheHandlerOfItsThread() {
    Map<Thread, Throwable> uncaught = new ConcurrentHashMap<>();
    Executor noted =
        task -> {
          Thread thread = new Thread(task);
          thread.setUncaughtExceptionHandler(uncaught::put);
          thread.start();
        };
    LimitedExecutor executor =
        LimitedExecutor.of(noted, calls(Limit.slidingLog(10, Duration.ofHours(1))));
    executor.execute(
        () -> {
          throw new IllegalStateException("a failure");
        });
    executor.execute(
        () -> {
          throw new AssertionError("an error");
        });
    await().until(() -> uncaught.size() == 2);
    assertThat(uncaught.values())
        .extracting(Throwable::getMessage)
        .containsExactlyInAnyOrder("a failure", "an error");
  }

  @Test
  void anExecutorThatCannotStartTheTaskGivesTheTurnBack() {
    Executor exhausted =
        task -> {
          throw new OutOfMemoryError("unable to create native thread");
        };
    LimitedExecutor executor =
        LimitedExecutor.of(exhausted, calls(Limit.slidingLog(2, Duration.ofHours(1))));
    CompletableFuture<Integer> submitted = executor.submit(() -> 1);
    assertThatThrownBy(() -> submitted.get(10, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("unable to create native thread");
    assertThat(remaining()).isEqualTo(2);
  }

  @Test
  void noTaskIsTakenWhosePolicyIsGone() {
    LimitedExecutor executor = LimitedExecutor.of(threads, calls(Limit.concurrency(1)));
    sluice.policies(List.of());
    assertThat(executor.submit(() -> 1))
        .failsWithin(Duration.ofSeconds(10))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(IllegalStateException.class)
        .withMessage("calls: policy 'payments' is gone");
    assertThatThrownBy(() -> executor.execute(() -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("calls: policy 'payments' is gone");
  }

  @Test
  void aFullExecutorGivesTheTurnBack() {
    threads.shutdown();
    LimitedExecutor executor =
        LimitedExecutor.of(threads, calls(Limit.slidingLog(2, Duration.ofHours(1))));
    assertThatThrownBy(() -> executor.submit(() -> 1).join())
        .hasCauseInstanceOf(RejectedExecutionException.class);
    assertThat(remaining()).isEqualTo(2);
  }

  @Test
  void aQueueIsWorkedOffByAllItsConsumersAndFailuresAreReported() {
    BlockingQueue<Integer> queue =
        new LinkedBlockingQueue<>(IntStream.range(0, 90).boxed().toList());
    List<Integer> done = new CopyOnWriteArrayList<>();
    Map<Integer, String> failed = new ConcurrentHashMap<>();
    QueueConsumer<Integer> consumer =
        QueueConsumer.of(
            queue,
            calls(Limit.slidingLog(100, Duration.ofHours(1))),
            item -> {
              if (item % 10 == 7) {
                throw new IllegalStateException("on purpose");
              }
              done.add(item);
            },
            (item, reason) -> failed.put(item, reason.getMessage()));
    for (int i = 0; i < 3; i++) {
      threads.execute(consumer);
    }
    await().until(() -> done.size() + failed.size() == 90);
    assertThat(done).hasSize(81).doesNotHaveDuplicates();
    assertThat(failed).hasSize(9).containsEntry(17, "on purpose");
    assertThat(remaining()).isEqualTo(10);
    consumer.close();
    threads.shutdown();
    await().until(threads::isTerminated);
  }

  @Test
  void anItemWhoseWorkThrowsAnErrorIsReportedAndTheConsumerGoesOn() {
    BlockingQueue<String> queue = new LinkedBlockingQueue<>(List.of("bad", "good"));
    List<String> done = new CopyOnWriteArrayList<>();
    Map<String, Throwable> failed = new ConcurrentHashMap<>();
    AssertionError thrown = new AssertionError("on purpose");
    QueueConsumer<String> consumer =
        QueueConsumer.of(
            queue,
            calls(Limit.concurrency(1)),
            item -> {
              if (item.equals("bad")) {
                throw thrown;
              }
              done.add(item);
            },
            failed::put);
    threads.execute(consumer);
    await().until(() -> done.contains("good"));
    assertThat(failed).isEqualTo(Map.of("bad", thrown));
    await().until(() -> remaining() == 1);
    consumer.close();
  }

  @Test
  void anInterruptedConsumerReportsItsItemAndGivesItsPlaceBack() {
    Calls calls = calls(Limit.slidingLog(1, Duration.ofHours(1))).maxWait(Duration.ofMinutes(90));
    BlockingQueue<String> queue = new LinkedBlockingQueue<>(List.of("first", "second"));
    List<String> done = new CopyOnWriteArrayList<>();
    List<String> failed = new CopyOnWriteArrayList<>();
    Thread thread =
        new Thread(QueueConsumer.of(queue, calls, done::add, (item, why) -> failed.add(item)));
    thread.start();
    await().until(() -> queue.isEmpty() && thread.getState() == Thread.State.TIMED_WAITING);
    thread.interrupt();
    await().until(() -> !thread.isAlive());
    assertThat(done).containsExactly("first");
    assertThat(failed).containsExactly("second");
    CompletableFuture<Boolean> next = LimitedExecutor.of(threads, calls).submit(() -> true);
    assertThat(next).isNotDone();
    next.cancel(true);
  }
}
