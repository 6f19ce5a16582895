package dev.sluice.examples.payments;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Sluice;
import dev.sluice.client.Calls;
import dev.sluice.client.QueueConsumer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;

/**
 * One worker: takes payments from its queue and hands them to the provider, in turn with all other
 * workers on the same Redis.
 */
public final class Worker {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration SLACK = Duration.ofMillis(5);
  // Few, so that all workers together wait for less than a second: see Calls.slack.
  private static final int CALLS_AT_ONCE = 4;

  private Worker() {}

  /** {@code Worker NAME REDIS PROVIDER}: works until the end of its input. */
  public static void main(String[] args) throws IOException {
    BlockingQueue<Integer> queue =
        new LinkedBlockingQueue<>(IntStream.range(0, 100_000).boxed().toList());
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest payment =
        HttpRequest.newBuilder(URI.create(args[2])).header("X-Worker", args[0]).build();

    try (Sluice sluice = Sluice.redis(args[1])) {
      sluice.limiter(policy());
      Calls calls = Calls.of(sluice, "payments", "provider").slack(SLACK);
      QueueConsumer<Integer> consumer =
          QueueConsumer.of(
              queue, calls, number -> pay(http, payment), (number, failure) -> queue.add(number));
      ExecutorService threads = Executors.newFixedThreadPool(CALLS_AT_ONCE);
      for (int i = 0; i < CALLS_AT_ONCE; i++) {
        threads.execute(consumer);
      }
      System.in.transferTo(OutputStream.nullOutputStream());
      threads.shutdownNow();
    }
  }

  /** The provider's 100 a second, counted to the call. */
  private static Policy policy() {
    return Policy.named("payments")
        .limits(List.of(Limit.slidingLog(100, SECOND.plus(SLACK))))
        // Better late than over the limit: without Redis nobody calls.
        .onStoreFailure(OnStoreFailure.DENY)
        .deadline(Duration.ofSeconds(2))
        .build();
  }

  private static void pay(HttpClient http, HttpRequest payment) {
    try {
      http.send(payment, HttpResponse.BodyHandlers.discarding());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopping);
    }
  }
}
