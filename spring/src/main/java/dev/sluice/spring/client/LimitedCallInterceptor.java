package dev.sluice.spring.client;

import dev.sluice.client.Calls;
import dev.sluice.client.LimitExceededException;
import dev.sluice.client.Turn;
import dev.sluice.client.Turns;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
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
   * Waits its turn, and calls. The last refusal is the answer.
   *
   * @throws LimitExceededException if its first turn would come too late: no call was made
   */
  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    Turn turn = awaitTurn();
    for (int left = retries; ; left--) {
      ClientHttpResponse response = call(request, body, execution, turn);
      if (!refused(response, turn) || left == 0) {
        return new CallResponse(response, turn);
      }
      Optional<Turn> next = turnAfter(response);
      if (next.isEmpty()) {
        return response;
      }
      turn = next.get();
    }
  }

  private static ClientHttpResponse call(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution, Turn turn)
      throws IOException {
    try {
      return execution.execute(request, body);
    } catch (IOException | RuntimeException | Error failed) {
      turn.end();
      throw failed;
    }
  }

  private static boolean refused(ClientHttpResponse response, Turn turn) throws IOException {
    try {
      return turn.refused(
          response.getStatusCode().value(),
          name -> response.getHeaders().getOrDefault(name, List.of()));
    } catch (IOException | RuntimeException unreadable) {
      response.close();
      turn.end();
      throw unreadable;
    }
  }

  /** Another turn, with the refusal closed; none, and the refusal open, if it comes too late. */
  private Optional<Turn> turnAfter(ClientHttpResponse refusal) throws IOException {
    Turn next;
    try {
      next = awaitTurn();
    } catch (LimitExceededException tooLate) {
      return Optional.empty();
    } catch (IOException | RuntimeException failed) {
      refusal.close();
      throw failed;
    }
    refusal.close();
    return Optional.of(next);
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
