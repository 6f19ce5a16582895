package dev.sluice.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
 * answer. A call that failed otherwise keeps its permits: the provider may have counted it.
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
   * @throws LimitExceededException if its turn would come too late
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
      throw new IOException(failed.getCause());
    }
  }

  /** As {@link #send}, without blocking. Cancelling the future gives the place back. */
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    Cancellable<HttpResponse<T>> response = new Cancellable<>();
    attempt(request, handler, response, retries);
    return response;
  }

  private <T> void attempt(
      HttpRequest request,
      HttpResponse.BodyHandler<T> handler,
      Cancellable<HttpResponse<T>> response,
      int left) {
    response.after(
        turns.next(),
        (turn, failure) -> {
          if (failure != null) {
            fail(response, failure);
          } else {
            call(request, handler, response, left, turn);
          }
        });
  }

  private <T> void call(
      HttpRequest request,
      HttpResponse.BodyHandler<T> handler,
      Cancellable<HttpResponse<T>> response,
      int left,
      Turn turn) {
    if (response.isDone()) {
      turn.giveBack();
      return;
    }
    CompletableFuture<HttpResponse<T>> called;
    try {
      called = client.sendAsync(request, handler);
    } catch (RuntimeException | Error notMade) {
      turn.giveBack();
      response.completeExceptionally(notMade);
      return;
    }
    response.after(
        called,
        (answer, failure) -> {
          boolean refused =
              answer != null && turn.refused(answer.statusCode(), answer.headers()::allValues);
          turn.end();
          if (failure != null) {
            fail(response, failure);
          } else if (refused && left > 0) {
            attempt(request, handler, response, left - 1);
          } else {
            response.complete(answer);
          }
        });
  }

  private static void fail(CompletableFuture<?> response, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof CancellationException)) {
      response.completeExceptionally(cause == null ? failure : cause);
    } else {
      response.cancel(true);
    }
  }
}
