package dev.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls to a real server. Times are only ever bounded from below: a slow machine is no failure. */
class LimitedHttpClientTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration HOUR = Duration.ofHours(1);
  // The store's clock and System.nanoTime may run apart by a hair.
  private static final long HAIR = TimeUnit.MILLISECONDS.toNanos(5);

  private final Provider provider = new Provider();
  private final Sluice sluice = Sluice.inMemory();
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    provider.close();
    sluice.close();
  }

  private Calls calls(Limit limit) {
    sluice.limiter("payments", limit);
    return Calls.of(sluice, "payments", "pg1");
  }

  private CompletableFuture<HttpResponse<Void>> call(LimitedHttpClient client) {
    return client.sendAsync(provider.request(), BodyHandlers.discarding());
  }

  private static long nanos(Duration duration) {
    return duration.toNanos() - HAIR;
  }

  @Test
  void everyCallIsMadeAndNoneBeforeTheLimitLetsIt() {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(20, SECOND)));
    long started = System.nanoTime();
    List<CompletableFuture<HttpResponse<Void>>> sent = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      sent.add(call(client));
    }
    assertThat(sent).allSatisfy(r -> assertThat(r.join().statusCode()).isEqualTo(200));
    List<Long> arrivals = provider.arrivals();
    assertThat(arrivals).hasSize(60);
    // The i-th arrival is not before the i-th pass, and passes come 20 a second.
    for (int i = 0; i < 60; i++) {
      assertThat(arrivals.get(i) - started)
          .as("call %d", i)
          .isGreaterThanOrEqualTo(i / 20 * SECOND.toNanos() - HAIR);
    }
  }

  @Test
  void aRefusedCallIsRepeatedWhenTheProviderAllows() throws Exception {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(10, HOUR)));
    provider.answerNext(429, "Retry-After", "1");
    HttpResponse<Void> response = client.send(provider.request(), BodyHandlers.discarding());
    assertThat(response.statusCode()).isEqualTo(200);
    List<Long> arrivals = provider.arrivals();
    assertThat(arrivals).hasSize(2);
    assertThat(arrivals.get(1) - arrivals.get(0)).isGreaterThanOrEqualTo(nanos(SECOND));
    // The refused call has given its permit back.
    assertThat(sluice.limiter("payments").orElseThrow().peek("pg1").remaining()).isEqualTo(9);
  }

  @Test
  void allCallsStayAwayWhenTheProviderHasNothingLeft() {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(10, HOUR)));
    provider.answerNext(200, "RateLimit", "\"default\";r=0;t=1");
    call(client).join();
    CompletableFuture.allOf(call(client), call(client)).join();
    List<Long> arrivals = provider.arrivals();
    assertThat(arrivals.get(1) - arrivals.get(0)).isGreaterThanOrEqualTo(nanos(SECOND));
    assertThat(arrivals).hasSize(3);
  }

  @Test
  void turnsThatComeUpDuringAPauseAreBookedAnewBehindIt() {
    Limit one = Limit.slidingLog(1, Duration.ofMillis(400));
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(one));
    provider.answerNext(200, "Retry-After", "1");
    List<CompletableFuture<HttpResponse<Void>>> sent =
        List.of(call(client), call(client), call(client));
    sent.forEach(CompletableFuture::join);
    List<Long> arrivals = provider.arrivals();
    assertThat(arrivals.get(1) - arrivals.get(0)).isGreaterThanOrEqualTo(nanos(SECOND));
    assertThat(arrivals.get(2) - arrivals.get(0))
        .isGreaterThanOrEqualTo(nanos(SECOND.plusMillis(400)));
  }

  @Test
  void theLastRefusalIsTheAnswer() {
    LimitedHttpClient client =
        LimitedHttpClient.of(http, calls(Limit.slidingLog(10, HOUR)).retries(1));
    provider.answerNext(429, "Retry-After", "0");
    provider.answerNext(429, "Retry-After", "0");
    assertThat(call(client).join().statusCode()).isEqualTo(429);
    assertThat(provider.arrivals()).hasSize(2);
  }

  @Test
  void whoWouldWaitTooLongIsToldAtOnce() throws Exception {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(1, HOUR)));
    client.send(provider.request(), BodyHandlers.discarding());
    assertThatThrownBy(() -> client.send(provider.request(), BodyHandlers.discarding()))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageStartingWith("no turn within PT30S: payments 'pg1' denied by sliding-log")
        .satisfies(
            refused ->
                assertThat(((LimitExceededException) refused).retryAfter())
                    .isBetween(Duration.ofMinutes(59), HOUR));
    assertThat(provider.arrivals()).hasSize(1);
  }

  @Test
  void aProviderThatAsksForTooMuchIsNotWaitedFor() throws Exception {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(10, HOUR)));
    provider.answerNext(429, "Retry-After", "3600");
    HttpResponse<Void> refusal = client.send(provider.request(), BodyHandlers.discarding());
    assertThat(refusal.statusCode()).isEqualTo(429);
    assertThat(refusal.headers().firstValue("Retry-After")).hasValue("3600");
    assertThatThrownBy(() -> call(client).join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(LimitExceededException.class)
        .hasMessageMatching(
            "provider 'pg1' asks to stay away for \\d+ ms, longer than a call may wait");
    assertThat(provider.arrivals()).hasSize(1);
  }

  @Test
  void aRefusalIsTheAnswerWhereTheNextTurnComesTooLate() throws Exception {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(1, HOUR)));
    provider.answerNext(429, "Retry-After", "1");
    CompletableFuture<HttpResponse<InputStream>> call =
        client.sendAsync(provider.request(), BodyHandlers.ofInputStream());
    RateLimiter limiter = sluice.limiter("payments").orElseThrow();
    // Somebody else takes the permit that the refused call has given back.
    await().until(() -> !provider.arrivals().isEmpty());
    await().until(() -> limiter.tryAcquire("pg1").allowed());
    HttpResponse<InputStream> refusal = call.get(10, TimeUnit.SECONDS);
    assertThat(refusal.statusCode()).isEqualTo(429);
    try (InputStream body = refusal.body()) {
      assertThat(body).hasContent("body");
    }
    assertThat(provider.arrivals()).hasSize(1);
  }

  private static <T> HttpResponse.BodyHandler<T> mapped(
      HttpResponse.BodyHandler<T> handler, UnaryOperator<T> noted) {
    return info -> BodySubscribers.mapping(handler.apply(info), noted);
  }

  private static Flow.Publisher<List<ByteBuffer>> noted(
      Flow.Publisher<List<ByteBuffer>> body, Runnable cancelled) {
    return subscriber ->
        body.subscribe(
            new Flow.Subscriber<>() {
              @Override
              public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(
                    new Flow.Subscription() {
                      @Override
                      public void request(long items) {
                        subscription.request(items);
                      }

                      @Override
                      public void cancel() {
                        cancelled.run();
                        subscription.cancel();
                      }
                    });
              }

              @Override
              public void onNext(List<ByteBuffer> item) {
                subscriber.onNext(item);
              }

              @Override
              public void onError(Throwable failure) {
                subscriber.onError(failure);
              }

              @Override
              public void onComplete() {
                subscriber.onComplete();
              }
            });
  }

  private static InputStream noted(InputStream body, Runnable closed) {
    return new FilterInputStream(body) {
      @Override
      public void close() throws IOException {
        closed.run();
        super.close();
        throw new IOException("a connection that breaks must not matter");
      }
    };
  }

  static Stream<Function<Runnable, HttpResponse.BodyHandler<?>>> openBodies() {
    return Stream.of(
        closed -> mapped(BodyHandlers.ofInputStream(), body -> noted(body, closed)),
        closed -> mapped(BodyHandlers.ofLines(), body -> body.onClose(closed)),
        closed -> mapped(BodyHandlers.ofPublisher(), body -> noted(body, closed)));
  }

  @ParameterizedTest
  @MethodSource("openBodies")
  void theBodyOfARefusalIsClosedBeforeTheCallIsRepeated(
      Function<Runnable, HttpResponse.BodyHandler<?>> handler) throws Exception {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(10, HOUR)));
    provider.answerNext(429, "Retry-After", "0");
    provider.answerNext(429, "Retry-After", "0");
    AtomicInteger closed = new AtomicInteger();
    HttpResponse<?> response =
        client.send(provider.request(), handler.apply(closed::incrementAndGet));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(closed).hasValue(2);
  }

  @ParameterizedTest
  @MethodSource("openBodies")
  void theBodyOfARefusalIsClosedIfItsCallIsCancelled(
      Function<Runnable, HttpResponse.BodyHandler<?>> handler) {
    Calls calls = calls(Limit.slidingLog(10, HOUR));
    provider.answerNext(429, "Retry-After", "20");
    AtomicInteger closed = new AtomicInteger();
    CompletableFuture<?> call =
        LimitedHttpClient.of(http, calls)
            .sendAsync(provider.request(), handler.apply(closed::incrementAndGet));
    await().until(() -> calls.pause().leftNanos() > 0);
    call.cancel(true);
    await().until(() -> closed.get() == 1);
  }

  @ParameterizedTest
  @MethodSource("openBodies")
  void anAnswerForWhichNobodyWaitsIsClosed(
      Function<Runnable, HttpResponse.BodyHandler<?>> handler) {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(10, HOUR)));
    CompletableFuture<Void> givenUp = new CompletableFuture<>();
    provider.beforeAnswer(givenUp::join);
    AtomicInteger closed = new AtomicInteger();
    CompletableFuture<?> call =
        client.sendAsync(provider.request(), handler.apply(closed::incrementAndGet));
    await().until(() -> !provider.arrivals().isEmpty());
    call.completeExceptionally(new TimeoutException("the caller's own"));
    givenUp.complete(null);
    await().until(() -> closed.get() == 1);
  }

  @Test
  void anErrorOfTheBodyHandlerReachesTheCaller() {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.concurrency(1)));
    AssertionError thrown = new AssertionError("on purpose");
    assertThatThrownBy(
            () ->
                client.send(
                    provider.request(),
                    info -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
    await().until(() -> sluice.limiter("payments").orElseThrow().peek("pg1").remaining() == 1);
  }

  private void assertPolicyIsGone(CompletableFuture<?> call) {
    assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("calls: policy 'payments' is gone");
  }

  @Test
  void aCallWhosePolicyIsRemovedWhileItStaysAwayFails() {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(10, HOUR)));
    provider.answerNext(429, "Retry-After", "1");
    CompletableFuture<HttpResponse<Void>> call = call(client);
    await().until(() -> !provider.arrivals().isEmpty());
    sluice.policies(List.of());
    assertPolicyIsGone(call);
    assertPolicyIsGone(call(client));
    assertThatThrownBy(() -> client.send(provider.request(), BodyHandlers.discarding()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("calls: policy 'payments' is gone");
    assertThat(provider.arrivals()).hasSize(1);
  }

  @Test
  void anAnswerArrivesAlsoIfItsPolicyIsRemovedMeanwhile() {
    Calls calls = calls(Limit.slidingLog(10, HOUR)).slack(Duration.ofNanos(1)).retries(0);
    provider.beforeAnswer(() -> sluice.policies(List.of()));
    provider.answerNext(429, "Retry-After", "0");
    assertThat(call(LimitedHttpClient.of(http, calls)))
        .succeedsWithin(Duration.ofSeconds(10))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(429);
    sluice.limiter("payments", Limit.slidingLog(10, HOUR));
    assertThat(call(LimitedHttpClient.of(http, calls)))
        .succeedsWithin(Duration.ofSeconds(10))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(200);
  }

  /** With one permit an hour, a third call fits into 90 minutes only if the second has left. */
  private void assertSecondPlaceIsFree(LimitedHttpClient client) {
    CompletableFuture<HttpResponse<Void>> third = call(client);
    assertThat(third).isNotDone();
    third.cancel(true);
  }

  private LimitedHttpClient oneAnHour() {
    Calls calls = calls(Limit.slidingLog(1, HOUR)).maxWait(Duration.ofMinutes(90));
    return LimitedHttpClient.of(http, calls);
  }

  @Test
  void aCancelledCallGivesItsPlaceBack() {
    LimitedHttpClient client = oneAnHour();
    call(client).join();
    CompletableFuture<HttpResponse<Void>> second = call(client);
    assertThat(second).isNotDone();
    assertThatThrownBy(() -> call(client).join()).hasCauseInstanceOf(LimitExceededException.class);
    second.cancel(true);
    assertSecondPlaceIsFree(client);
    assertThat(provider.arrivals()).hasSize(1);
  }

  @Test
  void anInterruptedCallGivesItsPlaceBack() {
    LimitedHttpClient client = oneAnHour();
    call(client).join();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                client.send(provider.request(), BodyHandlers.discarding());
              } catch (Exception expected) {
                thrown.set(expected);
              }
            });
    waiting.start();
    await().until(() -> waiting.getState() == Thread.State.WAITING);
    waiting.interrupt();
    await().until(() -> thrown.get() instanceof InterruptedException);
    assertSecondPlaceIsFree(client);
  }

  @Test
  void callsUnderWayAtOnceStayWithinAConcurrencyLimit() {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.concurrency(2)));
    List<CompletableFuture<HttpResponse<Void>>> sent = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      sent.add(call(client));
    }
    assertThat(sent).allSatisfy(r -> assertThat(r.join().statusCode()).isEqualTo(200));
    assertThat(provider.mostUnderWay()).isLessThanOrEqualTo(2);
    assertThat(sluice.limiter("payments").orElseThrow().peek("pg1").remaining()).isEqualTo(2);
  }

  @Test
  void allClientsOfTheSameCallsStayAwayTogether() {
    Calls calls = calls(Limit.slidingLog(10, HOUR));
    provider.answerNext(200, "Retry-After", "1");
    call(LimitedHttpClient.of(http, calls)).join();
    call(LimitedHttpClient.of(http, calls.maxWait(HOUR))).join();
    List<Long> arrivals = provider.arrivals();
    assertThat(arrivals.get(1) - arrivals.get(0)).isGreaterThanOrEqualTo(nanos(SECOND));
  }

  @Test
  void aRequestThatCannotBeSentGivesItsPlaceBack() {
    LimitedHttpClient client = LimitedHttpClient.of(http, calls(Limit.slidingLog(10, HOUR)));
    assertThatThrownBy(() -> client.send(new UnsendableRequest(), BodyHandlers.discarding()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(sluice.limiter("payments").orElseThrow().peek("pg1").remaining()).isEqualTo(10);
  }
}
