package dev.sluice.client;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * One call of a {@link LimitedHttpClient}: its attempts, one after the other.
 *
 * <p>A refusal is kept until the next attempt has its turn, for it is the answer if no turn comes
 * in time. Until then its body may hold a connection, so whatever is not handed out is closed.
 */
final class HttpCall<T> {
  private final HttpClient client;
  private final Turns turns;
  private final HttpRequest request;
  private final HttpResponse.BodyHandler<T> handler;
  private final Cancellable<HttpResponse<T>> response = new Cancellable<>();

  HttpCall(
      HttpClient client, Turns turns, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    this.client = client;
    this.turns = turns;
    this.request = request;
    this.handler = handler;
  }

  /** Starts the call, which is repeated so many times if it is refused. */
  CompletableFuture<HttpResponse<T>> start(int retries) {
    attempt(retries, null);
    return response;
  }

  private void attempt(int left, @Nullable HttpResponse<T> refusal) {
    response.after(
        turns.next(),
        (turn, failure) -> {
          if (failure == null) {
            discard(refusal);
            call(left, turn);
          } else {
            endWithoutTurn(cause(failure), refusal);
          }
        });
  }

  private void endWithoutTurn(Throwable failure, @Nullable HttpResponse<T> refusal) {
    if (refusal != null && failure instanceof LimitExceededException) {
      complete(refusal);
    } else {
      discard(refusal);
      fail(failure);
    }
  }

  private void call(int left, Turn turn) {
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
          if (failure == null) {
            answered(answer, left, turn);
          } else {
            turn.end();
            fail(cause(failure));
          }
        });
  }

  private void answered(HttpResponse<T> answer, int left, Turn turn) {
    boolean refused = turn.refused(answer.statusCode(), answer.headers()::allValues);
    turn.end();
    if (refused && left > 0) {
      attempt(left - 1, answer);
    } else {
      complete(answer);
    }
  }

  private void complete(HttpResponse<T> answer) {
    if (!response.complete(answer)) {
      discard(answer);
    }
  }

  private void fail(Throwable cause) {
    if (cause instanceof CancellationException) {
      response.cancel(true);
    } else {
      response.completeExceptionally(cause);
    }
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause == null ? failure : cause;
  }

  /** Frees the connection of a response that nobody will read. */
  private static void discard(@Nullable HttpResponse<?> unread) {
    Object body = unread == null ? null : unread.body();
    if (body instanceof AutoCloseable open) {
      try {
        open.close();
      } catch (Exception broken) {
        // A connection that fails while it is closed is as free as one that does not.
        return;
      }
    } else if (body instanceof Flow.Publisher<?> open) {
      open.subscribe(new Unsubscriber());
    }
  }

  /** Wants nothing of what is published. */
  private static final class Unsubscriber implements Flow.Subscriber<Object> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.cancel();
    }

    @Override
    public void onNext(Object unread) {}

    @Override
    public void onError(Throwable broken) {}

    @Override
    public void onComplete() {}
  }
}
