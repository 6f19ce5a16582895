package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Sluice;
import dev.sluice.spring.RateLimitExceededException;
import dev.sluice.spring.RateLimited;
import dev.sluice.spring.autoconfigure.RateLimitedAutoConfiguration;
import dev.sluice.spring.autoconfigure.SluiceAutoConfiguration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The annotation, for each kind of result and each thing it can say. */
class RateLimitedTest {
  static class Calls {
    private final AtomicInteger made = new AtomicInteger();

    public int made() {
      return made.get();
    }

    @RateLimited(policy = "one", key = "#user")
    public String plain(String user) {
      made.incrementAndGet();
      return "done";
    }

    @RateLimited(policy = "one")
    public String shared(String user) {
      return "done";
    }

    @RateLimited(policy = "one", key = "'f:' + #user", fallback = "later")
    public String withFallback(String user) {
      return "done";
    }

    @SuppressWarnings("UnusedMethod") // private on purpose: found by its name
    private String later(String user, RateLimitExceededException denial) {
      return "later " + user + " " + denial.decision().policy();
    }

    @RateLimited(policy = "one", key = "'q:' + #user", fallback = "quietly")
    public CompletionStage<String> futureWithFallback(String user) {
      return CompletableFuture.completedFuture("done");
    }

    CompletionStage<String> quietly(String user) {
      return CompletableFuture.completedFuture("later " + user);
    }

    @RateLimited(policy = "one", key = "'future'")
    public CompletableFuture<String> future() {
      return CompletableFuture.completedFuture("done");
    }

    @RateLimited(policy = "one", key = "'mono'")
    public Mono<String> mono() {
      return Mono.fromCallable(() -> "done " + made.incrementAndGet());
    }

    @RateLimited(policy = "one", key = "'mono-f'", fallback = "laterMono")
    public Mono<String> monoWithFallback() {
      return Mono.just("done");
    }

    Mono<String> laterMono() {
      return Mono.just("later");
    }

    @RateLimited(policy = "one", key = "'flux'")
    public Flux<Integer> flux() {
      return Flux.range(0, 3);
    }

    @RateLimited(policy = "held", key = "'plain'")
    public String heldPlain(boolean fails) {
      if (fails) {
        throw new IllegalStateException("failed");
      }
      return "done";
    }

    @RateLimited(policy = "held", key = "'future'")
    public CompletableFuture<String> heldFuture(CompletableFuture<String> result) {
      return result;
    }

    @RateLimited(policy = "held", key = "'mono'")
    public Mono<String> heldMono() {
      return Mono.never();
    }

    @RateLimited(policy = "paced", key = "#kind")
    public String paced(String kind) {
      return "done";
    }

    @RateLimited(policy = "paced", key = "'future'")
    public CompletableFuture<String> pacedFuture() {
      return CompletableFuture.completedFuture("done");
    }

    @RateLimited(policy = "slow")
    public Mono<String> slowMono() {
      return Mono.just("done");
    }

    @RateLimited(policy = "paced", key = "'mono'")
    public Mono<String> pacedMono() {
      return Mono.just("done");
    }
  }

  @RateLimited(policy = "one", key = "'class'")
  static class WholeClass {
    public String first() {
      return "first";
    }

    public String second() {
      return "second";
    }

    @RateLimited(policy = "ten", key = "'method'")
    public String own() {
      return "own";
    }
  }

  static class Free {}

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({SluiceAutoConfiguration.class, RateLimitedAutoConfiguration.class})
  static class App {
    @Bean
    Calls calls() {
      return new Calls();
    }

    @Bean
    WholeClass wholeClass() {
      return new WholeClass();
    }

    @Bean
    Free free() {
      return new Free();
    }
  }

  private AnnotationConfigApplicationContext context;
  private Calls calls;

  @BeforeEach
  void start() {
    context = new AnnotationConfigApplicationContext();
    TestPropertyValues.of(
            "sluice.policies.one.limits[0]=1/h",
            "sluice.policies.ten.limits[0]=10/h",
            "sluice.policies.held.limits[0].algorithm=concurrency",
            "sluice.policies.held.limits[0].permits=1",
            "sluice.policies.held.limits[0].lease=1h",
            "sluice.policies.paced.limits[0].algorithm=leaky-bucket",
            "sluice.policies.paced.limits[0].permits=10",
            "sluice.policies.paced.limits[0].per=1s",
            "sluice.policies.paced.limits[0].queue=1",
            "sluice.policies.slow.limits[0].algorithm=leaky-bucket",
            "sluice.policies.slow.limits[0].permits=1",
            "sluice.policies.slow.limits[0].per=1h",
            "sluice.policies.slow.limits[0].queue=1")
        .applyTo(context);
    context.register(App.class);
    context.refresh();
    calls = context.getBean(Calls.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  private int left(String policy, String key) {
    return (int) context.getBean(Sluice.class).limiter(policy).orElseThrow().peek(key).remaining();
  }

  @Test
  void aDeniedCallDoesNotHappen() {
    assertThat(calls.plain("ada")).isEqualTo("done");
    assertThatThrownBy(() -> calls.plain("ada"))
        .isInstanceOfSatisfying(
            RateLimitExceededException.class,
            denial -> {
              Decision decision = denial.decision();
              assertThat(decision.key()).isEqualTo("ada");
              assertThat(denial)
                  .hasMessage(
                      "policy 'one': denied, retry in %d ms"
                          .formatted(-Math.floorDiv(-decision.retryAfterMicros(), 1_000)));
            });
    assertThat(calls.plain("bob")).isEqualTo("done");
    assertThat(calls.made()).isEqualTo(2);
  }

  @Test
  void aCallWhosePolicyIsGoneFailsInsideItsResult() {
    context.getBean(Sluice.class).policies(List.of());
    assertThatThrownBy(calls.future()::join)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("@RateLimited on Calls.future: policy 'one' is gone");
    assertThatThrownBy(calls.mono()::block)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("@RateLimited on Calls.mono: policy 'one' is gone");
  }

  @Test
  void withoutAKeyAllShareOne() {
    assertThat(calls.shared("ada")).isEqualTo("done");
    assertThatThrownBy(() -> calls.shared("bob")).isInstanceOf(RateLimitExceededException.class);
  }

  @Test
  void aFallbackAnswersInsteadOfTheDenied() throws Exception {
    assertThat(calls.withFallback("ada")).isEqualTo("done");
    assertThat(calls.withFallback("ada")).isEqualTo("later ada one");
    assertThat(calls.futureWithFallback("ada").toCompletableFuture().get()).isEqualTo("done");
    assertThat(calls.futureWithFallback("ada").toCompletableFuture().get()).isEqualTo("later ada");
    assertThat(calls.monoWithFallback().block()).isEqualTo("done");
    assertThat(calls.monoWithFallback().block()).isEqualTo("later");
  }

  @Test
  void theClassSpeaksForItsMethodsUnlessTheySpeak() {
    WholeClass whole = context.getBean(WholeClass.class);
    assertThat(whole.first()).isEqualTo("first");
    assertThatThrownBy(whole::second).isInstanceOf(RateLimitExceededException.class);
    assertThat(whole.own()).isEqualTo("own");
    assertThat(whole.own()).isEqualTo("own");
    assertThat(AopUtils.isAopProxy(context.getBean(Free.class))).isFalse();
  }

  @Test
  void aDeniedFutureFails() {
    assertThat(calls.future().join()).isEqualTo("done");
    assertThatThrownBy(() -> calls.future().join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(RateLimitExceededException.class);
  }

  @Test
  void eachSubscriptionIsDecided() {
    Mono<String> mono = calls.mono();
    assertThat(left("one", "mono")).isEqualTo(1);
    assertThat(mono.block()).isEqualTo("done 1");
    assertThatThrownBy(mono::block).isInstanceOf(RateLimitExceededException.class);
    Flux<Integer> flux = calls.flux();
    assertThat(flux.collectList().block()).containsExactly(0, 1, 2);
    assertThatThrownBy(flux::blockLast).isInstanceOf(RateLimitExceededException.class);
  }

  @Test
  void heldPermitsReturnWhenTheCallEnds() {
    for (int i = 0; i < 3; i++) {
      assertThat(calls.heldPlain(false)).isEqualTo("done");
      assertThatThrownBy(() -> calls.heldPlain(true)).isInstanceOf(IllegalStateException.class);
    }
    CompletableFuture<String> result = new CompletableFuture<>();
    CompletableFuture<String> held = calls.heldFuture(result);
    assertThat(calls.heldFuture(result)).isCompletedExceptionally();
    result.complete("done");
    assertThat(held.join()).isEqualTo("done");
    assertThat(left("held", "future")).isEqualTo(1);

    Disposable subscriber = calls.heldMono().subscribe();
    assertThatThrownBy(() -> calls.heldMono().block())
        .isInstanceOf(RateLimitExceededException.class);
    subscriber.dispose();
    Disposable next = calls.heldMono().subscribe(value -> {}, failure -> {});
    assertThat(next.isDisposed()).isFalse();
    next.dispose();
  }

  @Test
  void aPacedCallWaitsItsTurn() {
    long started = System.nanoTime();
    calls.paced("plain");
    calls.paced("plain");
    assertThat(calls.pacedFuture().join()).isEqualTo("done");
    assertThat(calls.pacedFuture().join()).isEqualTo("done");
    assertThat(calls.pacedMono().block()).isEqualTo("done");
    assertThat(calls.pacedMono().block()).isEqualTo("done");
    // Three waits of 100 ms: a lower bound, so a slow machine cannot break it.
    assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(299_000_000);
  }

  @Test
  void aWaiterThatLeavesGivesItsPlaceBack() {
    assertThat(calls.slowMono().block()).isEqualTo("done");
    Disposable waiter = calls.slowMono().subscribe();
    assertThatThrownBy(() -> calls.slowMono().block())
        .isInstanceOf(RateLimitExceededException.class);
    waiter.dispose();
    Disposable next =
        calls
            .slowMono()
            .subscribe(
                value -> {},
                denied -> {
                  throw new AssertionError(denied);
                });
    assertThat(next.isDisposed()).isFalse();
    next.dispose();
  }
}
