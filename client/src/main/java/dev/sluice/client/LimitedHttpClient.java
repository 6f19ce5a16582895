package dev.sluice.client;

import dev.sluice.Decision;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.http.ReceivedLimits;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
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
 * permits back and is repeated, as often as {@link #retries} says; the last refusal is the answer.
 * A call that failed otherwise keeps its permits: the provider may have counted it.
 *
 * <p>Turns are exact on the store's clock; the network shifts calls a little. A provider that
 * counts to the call needs a limit whose period is longer by that much.
 */
public final class LimitedHttpClient {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int DEFAULT_RETRIES = 3;
  // For a refusal that does not say how long to stay away.
  private static final Duration DEFAULT_PAUSE = Duration.ofSeconds(1);

  private final HttpClient client;
  private final Turn turn;
  private final int retries;

  private LimitedHttpClient(HttpClient client, Turn turn, int retries) {
    this.client = client;
    this.turn = turn;
    this.retries = retries;
  }

  /** Keeps the calls of a client within a limit. */
  public static LimitedHttpClient of(HttpClient client, Calls calls) {
    return new LimitedHttpClient(client, new Turn(calls), DEFAULT_RETRIES);
  }

  /** The same client, which repeats a refused call so many times; three by default. */
  public LimitedHttpClient retries(int times) {
    if (times < 0) {
      throw new IllegalArgumentException("retries must be at least 0, got " + times);
    }
    return new LimitedHttpClient(client, turn, times);
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
    CompletableFuture<Decision> next = turn.next();
    response.waitingFor(next);
    CompletableFuture<Decision> unused =
        next.whenComplete(
            (decision, failure) -> {
              if (failure != null) {
                fail(response, failure);
              } else {
                call(request, handler, response, left, decision);
              }
            });
  }

  private <T> void call(
      HttpRequest request,
      HttpResponse.BodyHandler<T> handler,
      Cancellable<HttpResponse<T>> response,
      int left,
      Decision decision) {
    if (response.isDone()) {
      turn.giveBack(decision);
      return;
    }
    CompletableFuture<HttpResponse<T>> called = client.sendAsync(request, handler);
    response.waitingFor(called);
    CompletableFuture<HttpResponse<T>> unused =
        called.whenComplete(
            (answer, failure) -> {
              turn.release(decision);
              if (failure != null) {
                fail(response, failure);
              } else {
                listen(answer);
                if (answer.statusCode() == TOO_MANY_REQUESTS) {
                  turn.giveBack(decision);
                }
                if (answer.statusCode() == TOO_MANY_REQUESTS && left > 0) {
                  attempt(request, handler, response, left - 1);
                } else {
                  response.complete(answer);
                }
              }
            });
  }

  /** Stays away for as long as the provider asks. */
  private void listen(HttpResponse<?> answer) {
    ReceivedLimits received =
        RateLimitHeaders.parse(name -> answer.headers().allValues(name), Instant.now());
    boolean refused = answer.statusCode() == TOO_MANY_REQUESTS;
    received
        .pause()
        .ifPresentOrElse(turn::pause, () -> turn.pause(refused ? DEFAULT_PAUSE : Duration.ZERO));
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
