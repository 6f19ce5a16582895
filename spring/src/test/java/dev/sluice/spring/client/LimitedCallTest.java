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
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;

/** Calls of Spring's two clients to a real server. */
class LimitedCallTest {
  private static final Duration HOUR = Duration.ofHours(1);
  // The store's clock and System.nanoTime may run apart by a hair.
  private static final long ALMOST_A_SECOND = TimeUnit.MILLISECONDS.toNanos(995);

  private final Provider provider = new Provider();
  private final Sluice sluice = Sluice.inMemory();

  enum Client {
    REST {
      @Override
      int get(Calls calls, URI uri) {
        return RestClient.builder()
            .requestInterceptor(LimitedCallInterceptor.of(calls))
            .build()
            .get()
            .uri(uri)
            .exchange((request, response) -> response.getStatusCode().value());
      }
    },
    WEB {
      @Override
      int get(Calls calls, URI uri) {
        Integer status =
            webClient(calls)
                .get()
                .uri(uri)
                .exchangeToMono(
                    response -> response.releaseBody().thenReturn(response.statusCode().value()))
                .block();
        return status == null ? 0 : status;
      }
    };

    abstract int get(Calls calls, URI uri);
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
    assertThat(client.get(calls(Limit.slidingLog(10, HOUR)), provider.uri())).isEqualTo(200);
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
    assertThat(client.get(calls, provider.uri())).isEqualTo(429);
    assertThat(provider.arrivals()).hasSize(2);
    assertThat(remaining()).isEqualTo(10);
  }

  @ParameterizedTest
  @EnumSource
  void whoWouldWaitTooLongIsToldAtOnce(Client client) {
    Calls calls = calls(Limit.slidingLog(1, HOUR));
    assertThat(client.get(calls, provider.uri())).isEqualTo(200);
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
      assertThat(client.get(calls, provider.uri())).isEqualTo(200);
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
                int unused = Client.REST.get(calls, provider.uri());
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
}
