package dev.sluice.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.client.Calls;
import dev.sluice.client.LimitExceededException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls of Spring's two clients to a real server. */
class LimitedCallTest {
  private static final Duration HOUR = Duration.ofHours(1);
  // The store's clock and System.nanoTime may run apart by a hair.
  private static final long ALMOST_A_SECOND = TimeUnit.MILLISECONDS.toNanos(995);

  private static final ClientRequest REQUEST =
      ClientRequest.create(HttpMethod.GET, URI.create("http://127.0.0.1/")).build();

  private final Provider provider = new Provider();
  private final Sluice sluice = Sluice.inMemory();

  enum Client {
    REST {
      @Override
      String get(Calls calls, URI uri) {
        return RestClient.builder()
            .requestInterceptor(LimitedCallInterceptor.of(calls))
            .build()
            .get()
            .uri(uri)
            .exchange(
                (request, response) ->
                    response.getStatusCode().value()
                        + " "
                        + new String(response.getBody().readAllBytes(), StandardCharsets.UTF_8));
      }
    },
    WEB {
      @Override
      String get(Calls calls, URI uri) {
        return webClient(calls)
            .get()
            .uri(uri)
            .exchangeToMono(
                response ->
                    response
                        .bodyToMono(String.class)
                        .map(body -> response.statusCode().value() + " " + body))
            .blockOptional()
            .orElseThrow();
      }
    };

    abstract String get(Calls calls, URI uri);
  }

  private static WebClient webClient(Calls calls) {
    return WebClient.builder().filter(LimitedCallFilter.of(calls)).build();
  }

  @AfterEach
  void close() {
    provider.close();
    sluice.close();
  }

  private Calls calls(Limit limit) {
    sluice.limiter("payments", limit);
    return Calls.of(sluice, "payments", "pg1");
  }

  private long remaining() {
    return limiter().peek("pg1").remaining();
  }

  private RateLimiter limiter() {
    return sluice.limiter("payments").orElseThrow();
  }

  @ParameterizedTest
  @EnumSource
  void aRefusedCallIsRepeatedWhenTheProviderAllows(Client client) {
    provider.refuseNext("1");
    assertThat(client.get(calls(Limit.slidingLog(10, HOUR)), provider.uri())).isEqualTo("200 body");
    assertThat(provider.arrivals()).hasSize(2);
    assertThat(provider.arrivals().get(1) - provider.arrivals().get(0))
        .isGreaterThan(ALMOST_A_SECOND);
    assertThat(remaining()).isEqualTo(9);
  }

  @ParameterizedTest
  @EnumSource
  void theLastRefusalIsTheAnswer(Client client) {
    provider.refuseNext("0");
    provider.refuseNext("0");
    Calls calls = calls(Limit.slidingLog(10, HOUR)).retries(1);
    assertThat(client.get(calls, provider.uri())).isEqualTo("429 body");
    assertThat(provider.arrivals()).hasSize(2);
    assertThat(remaining()).isEqualTo(10);
  }

  @ParameterizedTest
  @EnumSource
  void aProviderThatAsksForTooMuchIsNotWaitedFor(Client client) {
    provider.refuseNext("3600");
    Calls calls = calls(Limit.slidingLog(10, HOUR));
    assertThat(client.get(calls, provider.uri())).isEqualTo("429 body");
    assertThatThrownBy(() -> client.get(calls, provider.uri()))
        .rootCause()
        .isInstanceOf(LimitExceededException.class)
        .hasMessageMatching(
            "provider 'pg1' asks to stay away for \\d+ ms, longer than a call may wait");
    assertThat(provider.arrivals()).hasSize(1);
    assertThat(remaining()).isEqualTo(10);
  }

  @ParameterizedTest
  @EnumSource
  void whoWouldWaitTooLongIsToldAtOnce(Client client) {
    Calls calls = calls(Limit.slidingLog(1, HOUR));
    assertThat(client.get(calls, provider.uri())).isEqualTo("200 body");
    assertThatThrownBy(() -> client.get(calls, provider.uri()))
        .hasRootCauseInstanceOf(LimitExceededException.class)
        .rootCause()
        .hasMessageStartingWith("no turn within PT30S: payments 'pg1' denied by sliding-log");
    assertThat(provider.arrivals()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void whatACallHoldsIsFreeAfterIt(Client client) {
    Calls calls = calls(Limit.concurrency(1));
    for (int i = 0; i < 3; i++) {
      assertThat(client.get(calls, provider.uri())).isEqualTo("200 body");
    }
    await().until(() -> remaining() == 1);
    URI nobody = URI.create("http://127.0.0.1:1/");
    assertThatThrownBy(() -> client.get(calls, nobody)).hasRootCauseInstanceOf(IOException.class);
    await().until(() -> remaining() == 1);
  }

  private Calls oneAnHourTaken() {
    Calls calls = calls(Limit.slidingLog(1, HOUR)).maxWait(Duration.ofMinutes(90));
    limiter().tryAcquire("pg1");
    return calls;
  }

  /** With one permit an hour, a second place within 90 minutes is free only if nobody has it. */
  private boolean secondPlaceIsFree() {
    return limiter()
        .reserve("pg1", 1, Duration.ofMinutes(90), Duration.ofMillis(1))
        .decision()
        .allowed();
  }

  @Test
  void aCancelledCallGivesItsPlaceBack() {
    Disposable waiting =
        webClient(oneAnHourTaken())
            .get()
            .uri(provider.uri())
            .retrieve()
            .toBodilessEntity()
            .subscribe();
    assertThat(secondPlaceIsFree()).isFalse();
    waiting.dispose();
    await().until(this::secondPlaceIsFree);
  }

  @Test
  void anInterruptedCallGivesItsPlaceBack() {
    Calls calls = oneAnHourTaken();
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread waiting =
        new Thread(
            () -> {
              try {
                String unused = Client.REST.get(calls, provider.uri());
              } catch (RuntimeException expected) {
                thrown.set(expected);
              }
            });
    waiting.start();
    await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
    assertThat(secondPlaceIsFree()).isFalse();
    waiting.interrupt();
    await().until(() -> thrown.get() != null);
    assertThat(thrown.get()).hasCauseInstanceOf(InterruptedIOException.class);
    await().until(this::secondPlaceIsFree);
  }

  /** A refusal that counts how often its body is let go. */
  private static ExchangeFunction refusing(String retryAfter, AtomicInteger released) {
    return request ->
        Mono.just(
            ClientResponse.create(HttpStatus.TOO_MANY_REQUESTS)
                .header("Retry-After", retryAfter)
                .body(Flux.<DataBuffer>empty().doOnComplete(released::incrementAndGet))
                .build());
  }

  @Test
  void aRefusalIsReleasedOnceBeforeTheCallIsRepeated() {
    LimitedCallFilter filter = LimitedCallFilter.of(calls(Limit.slidingLog(10, HOUR)).retries(2));
    AtomicInteger released = new AtomicInteger();
    ClientResponse last = filter.filter(REQUEST, refusing("0", released)).block();
    assertThat(last).extracting(ClientResponse::statusCode).isEqualTo(HttpStatus.TOO_MANY_REQUESTS);
    assertThat(released).hasValue(2);
  }

  @Test
  void aRefusalIsReleasedIfItsCallIsCancelled() {
    LimitedCallFilter filter = LimitedCallFilter.of(calls(Limit.slidingLog(10, HOUR)));
    AtomicInteger released = new AtomicInteger();
    Disposable waiting = filter.filter(REQUEST, refusing("20", released)).subscribe();
    await().until(() -> remaining() == 10);
    assertThat(released).hasValue(0);
    waiting.dispose();
    await().until(() -> released.get() == 1);
  }

  @Test
  void aRefusalIsReleasedIfThePolicyIsRemoved() {
    LimitedCallFilter filter = LimitedCallFilter.of(calls(Limit.slidingLog(10, HOUR)));
    AtomicInteger released = new AtomicInteger();
    ExchangeFunction refusing = refusing("1", released);
    Mono<ClientResponse> call =
        filter.filter(
            REQUEST,
            request -> {
              sluice.policies(List.of());
              return refusing.exchange(request);
            });
    assertThatThrownBy(call::block)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("calls: policy 'payments' is gone");
    await().until(() -> released.get() == 1);
  }

  @Test
  void aCallThatCannotBeMadeReleasesWhatItHeld() {
    Calls calls = calls(Limit.concurrency(1));
    AssertionError thrown = new AssertionError("on purpose");
    Mono<ClientResponse> call =
        LimitedCallFilter.of(calls)
            .filter(
                REQUEST,
                request -> {
                  throw thrown;
                });
    assertThatThrownBy(call::block).rootCause().isSameAs(thrown);
    await().until(() -> remaining() == 1);
    assertThatThrownBy(
            () ->
                LimitedCallInterceptor.of(calls)
                    .intercept(
                        new MockClientHttpRequest(),
                        new byte[0],
                        (request, body) -> {
                          throw thrown;
                        }))
        .isSameAs(thrown);
    await().until(() -> remaining() == 1);
  }

  /** A response that counts how often it is closed. */
  private static final class CountedResponse extends MockClientHttpResponse {
    private final AtomicInteger closed;

    CountedResponse(String retryAfter, AtomicInteger closed) {
      super(new byte[0], HttpStatus.TOO_MANY_REQUESTS);
      this.closed = closed;
      getHeaders().set("Retry-After", retryAfter);
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @Test
  void aRefusalIsClosedBeforeTheCallIsRepeatedAndNotIfItIsTheAnswer() throws IOException {
    LimitedCallInterceptor interceptor =
        LimitedCallInterceptor.of(calls(Limit.slidingLog(10, HOUR)));
    AtomicInteger closed = new AtomicInteger();
    Queue<String> asked = new ArrayDeque<>(List.of("0", "0", "3600"));
    ClientHttpResponse answer =
        interceptor.intercept(
            new MockClientHttpRequest(),
            new byte[0],
            (request, body) -> new CountedResponse(asked.remove(), closed));
    assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo("3600");
    assertThat(closed).hasValue(2);
  }

  @Test
  void aRefusalIsClosedIfThePolicyIsRemoved() {
    LimitedCallInterceptor interceptor =
        LimitedCallInterceptor.of(calls(Limit.slidingLog(10, HOUR)));
    AtomicInteger closed = new AtomicInteger();
    assertThatThrownBy(
            () ->
                interceptor.intercept(
                    new MockClientHttpRequest(),
                    new byte[0],
                    (request, body) -> {
                      sluice.policies(List.of());
                      return new CountedResponse("0", closed);
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("calls: policy 'payments' is gone");
    assertThat(closed).hasValue(1);
  }
}
