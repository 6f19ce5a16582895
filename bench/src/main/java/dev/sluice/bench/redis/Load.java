package dev.sluice.bench.redis;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/** Runs a subject for a short while in one of the modes, and counts. */
final class Load implements AutoCloseable {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final String[] keys;
  private final LongSupplier serverCpuNanos;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "load");
            thread.setDaemon(true);
            return thread;
          });
  private volatile boolean running;

  Load(int mostKeys, LongSupplier serverCpuNanos) {
    this.keys = new String[mostKeys];
    for (int i = 0; i < mostKeys; i++) {
      keys[i] = "user:" + i;
    }
    this.serverCpuNanos = serverCpuNanos;
  }

  Slice run(Subject subject, Mode mode, long millis) throws Exception {
    running = true;
    long client = SYSTEM.getProcessCpuTime();
    long server = serverCpuNanos.getAsLong();
    long started = System.nanoTime();
    List<Worker> workers =
        mode.threads > 0 ? threads(subject, mode, millis) : chains(subject, mode, millis);
    long nanos = System.nanoTime() - started;
    long serverAfter = serverCpuNanos.getAsLong();
    long clientAfter = SYSTEM.getProcessCpuTime();
    Histogram latencies = new Histogram(3);
    latencies.setAutoResize(true);
    long asked = 0;
    long granted = 0;
    for (Worker worker : workers) {
      asked += worker.asked;
      granted += worker.granted;
      latencies.add(worker.latencies);
    }
    return new Slice(asked, granted, nanos, clientAfter - client, serverAfter - server, latencies);
  }

  private List<Worker> threads(Subject subject, Mode mode, long millis) throws Exception {
    List<Worker> workers = new ArrayList<>();
    List<Future<?>> ends = new ArrayList<>();
    for (int i = 0; i < mode.threads; i++) {
      Worker worker = new Worker(subject, mode.keys, i);
      workers.add(worker);
      ends.add(threads.submit(worker::block));
    }
    pause(millis);
    for (Future<?> end : ends) {
      end.get();
    }
    return workers;
  }

  private List<Worker> chains(Subject subject, Mode mode, long millis) throws Exception {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < mode.inFlight; i++) {
      workers.add(new Worker(subject, mode.keys, i));
    }
    workers.forEach(Worker::chain);
    pause(millis);
    try {
      for (Worker worker : workers) {
        worker.end.get(30, TimeUnit.SECONDS);
      }
    } catch (TimeoutException lost) {
      long unanswered = workers.stream().filter(worker -> !worker.end.isDone()).count();
      throw new IllegalStateException("%d requests without an answer".formatted(unanswered), lost);
    }
    return workers;
  }

  private void pause(long millis) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    if (!never.await(millis, TimeUnit.MILLISECONDS)) {
      running = false;
    }
  }

  /** Asks again and again: a thread that blocks, or a chain of requests that follow each other. */
  private final class Worker {
    private final Subject subject;
    private final int most;
    private final Histogram latencies = new Histogram(3);
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private long random;
    private long asked;
    private long granted;

    Worker(Subject subject, int most, int seed) {
      this.subject = subject;
      this.most = most;
      this.random = 0x9E3779B97F4A7C15L * (seed + 1) ^ System.nanoTime();
      latencies.setAutoResize(true);
    }

    private String key() {
      random ^= random << 13;
      random ^= random >>> 7;
      random ^= random << 17;
      return keys[most == 1 ? 0 : (int) Long.remainderUnsigned(random, most)];
    }

    private Void block() throws Exception {
      while (running) {
        long before = System.nanoTime();
        granted += subject.ask(key()) ? 1 : 0;
        latencies.recordValue(System.nanoTime() - before);
        asked++;
      }
      return null;
    }

    private void chain() {
      while (running) {
        CompletableFuture<Boolean> answer = subject.askAsync(key()).toCompletableFuture();
        if (!answer.isDone()) {
          answer.whenComplete(this::answered);
          return;
        }
        count(answer.join());
      }
      end.complete(null);
    }

    private void answered(Boolean grant, Throwable failure) {
      if (failure != null) {
        end.completeExceptionally(failure);
      } else {
        count(grant);
        chain();
      }
    }

    private void count(boolean grant) {
      asked++;
      granted += grant ? 1 : 0;
    }
  }

  @Override
  public void close() throws TimeoutException {
    threads.shutdownNow();
  }
}
