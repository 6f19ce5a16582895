package dev.sluice.spring.client;

import dev.sluice.client.Calls;
import dev.sluice.client.LimitExceededException;
import dev.sluice.client.Turn;
import dev.sluice.client.Turns;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Keeps the calls of a {@code RestClient} or a {@code RestTemplate} within a provider's limit: each
 * waits its turn, and what the provider says of its limits is heard. Safe for use by many threads.
 *
 * <p>What a call holds of a concurrency limit is free when its response is closed.
 */
public final class LimitedCallInterceptor implements ClientHttpRequestInterceptor {
  private final Turns turns;
  private final int retries;

  private LimitedCallInterceptor(Turns turns, int retries) {
    this.turns = turns;
    this.retries = retries;
  }

  /** Keeps calls within the limit of {@code calls}. */
  public static LimitedCallInterceptor of(Calls calls) {
    return new LimitedCallInterceptor(Turns.of(calls), calls.retries());
  }

  /**
   * Waits its turn, and calls.
   *
   * @throws LimitExceededException if its turn would come too late
   */
  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    for (int left = retries; ; left--) {
      Turn turn = awaitTurn();
      ClientHttpResponse response;
      try {
        response = execution.execute(request, body);
      } catch (IOException | RuntimeException failed) {
        turn.end();
        throw failed;
      }
      boolean refused =
          turn.refused(
              response.getStatusCode().value(),
              name -> response.getHeaders().getOrDefault(name, List.of()));
      if (!refused || left == 0) {
        return new CallResponse(response, turn);
      }
      response.close();
    }
  }

  private Turn awaitTurn() throws IOException {
    try {
      return turns.await();
    } catch (InterruptedException leaving) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a turn");
    }
  }
}
