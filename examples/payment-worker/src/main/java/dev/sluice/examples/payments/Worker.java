package dev.sluice.examples.payments;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Sluice;
import dev.sluice.client.Calls;
import dev.sluice.client.QueueConsumer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * One worker: takes payments from its queue and hands them to the provider, in turn with all other
 * workers on the same Redis.
 */
public final class Worker {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration SLACK = Duration.ofMillis(2);
  // Few: who has booked far ahead does not hear of a call that was late since.
  private static final int CALLS_AT_ONCE = 2;
  private static final long END_SECONDS = 5;

  private Worker() {}

  /** {@code Worker NAME REDIS PROVIDER}: works until the end of its input. */
  public static void main(String[] args) throws IOException, InterruptedException {
    BlockingQueue<Integer> queue =
        new LinkedBlockingQueue<>(IntStream.range(0, 100_000).boxed().toList());
    URL provider = URI.create(args[2]).toURL();

    try (Sluice sluice = Sluice.redis(args[1])) {
      sluice.limiter(policy());
      Calls calls = Calls.of(sluice, "payments", "provider").slack(SLACK);
      QueueConsumer<Integer> consumer =
          QueueConsumer.of(
              queue,
              calls,
              number -> pay(provider, args[0]),
              (number, failure) -> queue.add(number));
      ExecutorService threads = Executors.newFixedThreadPool(CALLS_AT_ONCE);
      for (int i = 0; i < CALLS_AT_ONCE; i++) {
        threads.execute(consumer);
      }
      System.in.transferTo(OutputStream.nullOutputStream());
      threads.shutdownNow();
      // Before the store is closed: those who wait give their places back.
      boolean unused = threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
    }
  }

  /**
   * The provider's 100 a second, counted to the call. The second limit spreads them over the
   * second: calls that leave all at once are late all at once.
   */
  private static Policy policy() {
    return Policy.named("payments")
        .limits(
            List.of(
                Limit.slidingLog(100, SECOND.plus(SLACK)), Limit.tokenBucket(110, SECOND).burst(1)))
        // Better late than over the limit: without Redis nobody calls.
        .onStoreFailure(OnStoreFailure.DENY)
        .deadline(Duration.ofSeconds(2))
        .build();
  }

  /** In the thread that awaited its turn: whenever another takes over, time passes. */
  private static void pay(URL provider, String worker) {
    try {
      HttpURLConnection payment = (HttpURLConnection) provider.openConnection();
      payment.setRequestProperty("X-Worker", worker);
      try (InputStream answer = payment.getInputStream()) {
        answer.transferTo(OutputStream.nullOutputStream());
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
