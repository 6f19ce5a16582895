package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Reservation;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.testkit.Await;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A long time of load and faults of all kinds at random: nobody is admitted too often, and neither
 * heap nor threads nor open files nor keys grow. Takes as long as one likes, so it runs when it is
 * named only: {@code -Dtest=SoakIT -Dseconds=1200 -Dseed=1}.
 */
class SoakIT {
  private static final long SECONDS = Long.getLong("seconds", 60);
  private static final long SEED = Long.getLong("seed", System.nanoTime());
  private static final int THREADS = 4;
  private static final int KEYS = 8;
  private static final long PERMITS = 100;
  private static final Duration SECOND = Duration.ofSeconds(1);
  // Between two calls of a thread: it is the time that counts here, not the load.
  private static final long PAUSE_NANOS = 2_000_000;

  private final LongAdder decided = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final List<Queue<Admissions.Admission>> admissions =
      Stream.generate(ConcurrentLinkedQueue<Admissions.Admission>::new)
          .limit(KEYS)
          .<Queue<Admissions.Admission>>map(queue -> queue)
          .toList();
  private final List<long[]> samples = new ArrayList<>();
  private volatile boolean running = true;

  @Test
  void nothingIsAdmittedTooOftenAndNothingGrows() throws Exception {
    System.out.printf("soak: %d s, seed %d%n", SECONDS, SEED);
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).appendOnly("everysec").start();
        TcpProxy proxy = TcpProxy.to(server.port())) {
      String uri = "redis://127.0.0.1:" + proxy.port();
      try (Sluice sluice = Sluice.of(Stores.withDeadline(uri, Duration.ofMillis(100)))) {
        load(sluice, server, proxy);
      }
      Await.until(
          Duration.ofSeconds(30),
          () -> Long.valueOf(0).equals(server.command("DBSIZE")),
          "all keys have ended");
    }
    int quarter = samples.size() / 4;
    for (int figure = 0; figure < 3; figure++) {
      assertThat(most(samples.subList(3 * quarter, samples.size()), figure))
          .as("the last quarter's most of heap in MB, threads, open files: " + figure)
          .isLessThanOrEqualTo(most(samples.subList(quarter, 2 * quarter), figure) * 5 / 4);
    }
    assertThat(decided.sum()).isPositive();
    System.out.printf("soak: %d decisions, %d failed%n", decided.sum(), failed.sum());
  }

  private static long most(List<long[]> samples, int figure) {
    return samples.stream().mapToLong(sample -> sample[figure]).max().orElseThrow();
  }

  private void load(Sluice sluice, RedisServer server, TcpProxy proxy) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<?>> loads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Random random = new Random(SEED + t);
      loads.add(threads.submit(() -> ask(sluice, random)));
    }
    Random chaos = new Random(SEED);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    long nextSample = System.nanoTime();
    try {
      while (System.nanoTime() < end) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200 + chaos.nextInt(2_800)));
        disturb(server, proxy, chaos);
        if (System.nanoTime() >= nextSample) {
          nextSample = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS) / 40;
          sample();
          checkAdmissions();
        }
      }
    } finally {
      running = false;
      threads.shutdown();
    }
    for (Future<?> load : loads) {
      load.get();
    }
    checkAdmissions();
  }

  /** One fault, and its end. */
  private static void disturb(RedisServer server, TcpProxy proxy, Random chaos) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(50 + chaos.nextInt(400));
    switch (chaos.nextInt(12)) {
      case 0 -> server.command("SCRIPT", "FLUSH");
      case 1, 9 -> proxy.cut();
      case 2, 10 -> proxy.cutAfterRequest();
      case 3 -> {
        proxy.delay(Duration.ofMillis(200));
        LockSupport.parkNanos(nanos);
        proxy.delay(Duration.ZERO);
      }
      case 4 -> {
        proxy.dropReplies();
        LockSupport.parkNanos(nanos);
        proxy.deliverReplies();
      }
      case 5 -> {
        server.suspend();
        LockSupport.parkNanos(nanos);
        server.resume();
      }
      case 6, 7, 8 -> {
        proxy.refuse();
        LockSupport.parkNanos(nanos);
        proxy.accept();
      }
      default -> {
        server.kill9();
        server.restart();
      }
    }
  }

  private void ask(Sluice sluice, Random random) {
    RateLimiter log = Outcomes.denying(sluice, "log", Limit.slidingLog(PERMITS, SECOND));
    RateLimiter bucket = Outcomes.denying(sluice, "bucket", Limit.tokenBucket(PERMITS, SECOND));
    RateLimiter held =
        Outcomes.denying(sluice, "held", Limit.concurrency(10).lease(Duration.ofSeconds(2)));
    while (running) {
      int number = random.nextInt(KEYS);
      String key = "key" + number;
      try {
        switch (random.nextInt(4)) {
          case 0, 1 -> askLog(log, number, key);
          case 2 -> {
            Decision decision = held.tryAcquire(key);
            decision.lease().ifPresent(sluice::release);
          }
          default -> {
            Reservation reservation = bucket.reserve(key, 3, Duration.ZERO, SECOND);
            if (reservation.decision().allowed() && random.nextBoolean()) {
              bucket.commit(reservation.id(), random.nextInt(5));
            }
          }
        }
        decided.increment();
      } catch (StoreUnavailableException away) {
        failed.increment();
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void askLog(RateLimiter log, int number, String key) {
    long sent = System.nanoTime();
    Decision decision = log.tryAcquire(key);
    if (decision.allowed()) {
      admissions
          .get(number)
          .add(new Admissions.Admission(sent, System.nanoTime(), decision.passesAtMicros(), 1));
    }
  }

  /** Checks what was admitted so far, and keeps what the next windows reach back to. */
  private void checkAdmissions() {
    for (Queue<Admissions.Admission> each : admissions) {
      List<Admissions.Admission> known = List.copyOf(each);
      Admissions admitted = new Admissions(known);
      assertThat(admitted.mostByServerClock(1_000_000)).isLessThanOrEqualTo(PERMITS);
      assertThat(admitted.mostSeenFromOutside(1_000_000_000)).isLessThanOrEqualTo(PERMITS);
      long newest = known.stream().mapToLong(Admissions.Admission::serverMicros).max().orElse(0);
      each.removeIf(admission -> admission.serverMicros() < newest - 5_000_000);
    }
  }

  private void sample() throws IOException {
    System.gc();
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      Runtime jvm = Runtime.getRuntime();
      long heap = (jvm.totalMemory() - jvm.freeMemory()) >> 20;
      long[] sample = {heap, Thread.getAllStackTraces().size(), files.count()};
      samples.add(sample);
      System.out.printf(
          "soak: %d MB of heap, %d threads, %d open files; %d decided, %d failed%n",
          sample[0], sample[1], sample[2], decided.sum(), failed.sum());
    }
  }
}
