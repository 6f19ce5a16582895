package dev.sluice.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * An HTTP client that keeps within a provider's limit. Each call waits its turn, first come first
 * served among all who share the store. Safe for use by many threads.
 *
 * <pre>{@code
 * LimitedHttpClient payments =
 *     LimitedHttpClient.of(HttpClient.newHttpClient(), Calls.of(sluice, "payments", "pg1"));
 * HttpResponse<String> response = payments.send(request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>It listens: after {@code Retry-After}, or when the provider's headers say that nothing is
 * left, this client makes no call until then. A call that the provider refuses with 429 gives its
 * permits back and is repeated, as often as {@link Calls#retries} says; the last refusal is the
 * answer, also where the next turn would come too late. A refusal that is not the answer is closed
 * (bodies that are {@link AutoCloseable}, such as those of {@code ofInputStream} and {@code
 * ofLines}) or cancelled ({@code ofPublisher}) before the call is repeated. A call that failed
 * otherwise keeps its permits: the provider may have counted it.
 *
 * <p>Turns are exact on the store's clock; the network shifts calls a little. A provider that
 * counts to the call needs {@link Calls#slack}.
 */
public final class LimitedHttpClient {
  private final HttpClient client;
  private final Turns turns;
  private final int retries;

  private LimitedHttpClient(HttpClient client, Turns turns, int retries) {
    this.client = client;
    this.turns = turns;
    this.retries = retries;
  }

  /** Keeps the calls of a client within a limit. */
  public static LimitedHttpClient of(HttpClient client, Calls calls) {
    return new LimitedHttpClient(client, Turns.of(calls), calls.retries());
  }

  /**
   * Waits its turn, and calls.
   *
   * @throws LimitExceededException if its first turn would come too late: no call was made
   * @throws InterruptedException if interrupted while waiting or calling; the place is given back
   */
  public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> response = sendAsync(request, handler);
    try {
      return response.get();
    } catch (InterruptedException interrupted) {
      response.cancel(true);
      throw interrupted;
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException cause) {
        throw cause;
      }
      if (failed.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (failed.getCause() instanceof Error cause) {
        throw cause;
      }
      throw new IOException(failed.getCause());
    }
  }

  /** As {@link #send}, without blocking. Cancelling the future gives the place back. */
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    return new HttpCall<>(client, turns, request, handler).start(retries);
  }
}
