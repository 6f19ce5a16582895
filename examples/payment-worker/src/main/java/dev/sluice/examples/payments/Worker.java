package dev.sluice.examples.payments;

import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Sluice;
import dev.sluice.client.Calls;
import dev.sluice.client.QueueConsumer;
import java.io.IOException;
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
import java.util.concurrent.TimeUnit;

/**
 * One worker: takes payments from its queue and hands them to the provider, in turn with all other
 * workers on the same Redis.
 */
public final class Worker {
  private static final int CALLS_AT_ONCE = 16;

  private Worker() {}

  /** Works until killed: {@code Worker NAME REDIS PROVIDER PERIOD-MILLIS}. */
  public static void main(String[] args) throws InterruptedException {
    String name = args[0];
    Sluice sluice = Sluice.redis(args[1]);
    sluice.limiter(policy(Duration.ofMillis(Long.parseLong(args[3]))));
    Calls calls = Calls.of(sluice, "payments", "provider");

    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest payment =
        HttpRequest.newBuilder(URI.create(args[2])).header("X-Worker", name).build();
    BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
    for (int i = 0; i < 100_000; i++) {
      queue.add(i);
    }
    ExecutorService threads = Executors.newFixedThreadPool(CALLS_AT_ONCE);
    for (int i = 0; i < CALLS_AT_ONCE; i++) {
      threads.execute(
          QueueConsumer.of(
              queue, calls, number -> pay(http, payment), (number, failure) -> queue.add(number)));
    }
    threads.awaitTermination(1, TimeUnit.DAYS);
  }

  /**
   * The provider's 100 a second. The period is a little longer than a second: of two calls that
   * left a second apart, the network may delay the first.
   */
  private static Policy policy(Duration period) {
    return Policy.named("payments")
        .limits(List.of(Limit.slidingLog(100, period)))
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
