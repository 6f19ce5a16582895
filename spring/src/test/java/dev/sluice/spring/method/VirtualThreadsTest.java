package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RateLimitExceededException;
import dev.sluice.spring.RateLimited;
import dev.sluice.spring.autoconfigure.RateLimitedAutoConfiguration;
import dev.sluice.spring.autoconfigure.SluiceAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Many more callers than threads carry them; a caller that waits must not keep its carrier. */
class VirtualThreadsTest {
  private static final int CALLERS = 200;
  private static final int PERMITS = 150;

  static class Calls {
    // Opens when as many have come as are let in: did each keep its carrier, it never would.
    private final CountDownLatch full = new CountDownLatch(PERMITS);
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    @RateLimited(policy = "held")
    public String held() throws InterruptedException {
      most.accumulateAndGet(inside.incrementAndGet(), Math::max);
      full.countDown();
      full.await();
      inside.decrementAndGet();
      return onThread();
    }

    public int most() {
      return most.get();
    }

    @RateLimited(policy = "paced", key = "'plain'")
    public String paced() {
      return onThread();
    }

    @RateLimited(policy = "one", key = "'future'")
    public CompletableFuture<String> future() {
      return CompletableFuture.completedFuture(onThread());
    }

    @RateLimited(policy = "one", key = "'mono'")
    public Mono<String> mono() {
      return Mono.fromSupplier(Calls::onThread);
    }

    private static String onThread() {
      return Thread.currentThread().toString();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({SluiceAutoConfiguration.class, RateLimitedAutoConfiguration.class})
  static class App {
    @Bean
    Calls calls() {
      return new Calls();
    }
  }

  /** Nothing before Java 21, with a line that says so. */
  private static Optional<ExecutorService> virtualThreads() throws ReflectiveOperationException {
    try {
      return Optional.of(
          (ExecutorService)
              Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
    } catch (NoSuchMethodException old) {
      System.out.println(
          "not run: Java " + Runtime.version().feature() + " has no virtual threads");
      return Optional.empty();
    }
  }

  @Test
  void callsAreLimitedWhereverTheyWait() throws Exception {
    ExecutorService threads = virtualThreads().orElse(null);
    if (threads == null) {
      return;
    }
    try {
      new ApplicationContextRunner()
          .withUserConfiguration(App.class)
          .withPropertyValues(
              "sluice.policies.one.limits[0]=1/h",
              "sluice.policies.held.limits[0].algorithm=concurrency",
              "sluice.policies.held.limits[0].permits=" + PERMITS,
              "sluice.policies.held.limits[0].lease=1h",
              "sluice.policies.paced.limits[0].algorithm=leaky-bucket",
              "sluice.policies.paced.limits[0].permits=100",
              "sluice.policies.paced.limits[0].per=1s",
              "sluice.policies.paced.limits[0].queue=" + (PERMITS - 1))
          .run(context -> callAll(threads, context.getBean(Calls.class)));
    } finally {
      threads.shutdownNow();
    }
  }

  private static void callAll(ExecutorService threads, Calls calls) throws Exception {
    List<Future<String>> held = new ArrayList<>();
    List<Future<String>> paced = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      held.add(threads.submit(calls::held));
      paced.add(threads.submit(calls::paced));
    }
    assertThat(answers(held))
        .hasSizeGreaterThanOrEqualTo(PERMITS)
        .allMatch(on -> on.startsWith("VirtualThread"));
    assertThat(calls.most()).isEqualTo(PERMITS);
    // Waiting for its turn one after the other, on the carriers, would take minutes.
    assertThat(answers(paced))
        .hasSizeGreaterThanOrEqualTo(PERMITS)
        .allMatch(on -> on.startsWith("VirtualThread"));
    assertThat(threads.submit(() -> calls.future().join()).get()).startsWith("VirtualThread");
    assertThat(threads.submit(() -> calls.mono().block()).get()).startsWith("VirtualThread");
    assertThat(threads.submit(() -> calls.future().isCompletedExceptionally()).get()).isTrue();
  }

  /** What was answered; the others were denied. */
  private static List<String> answers(List<Future<String>> calls) throws Exception {
    List<String> answers = new ArrayList<>();
    for (Future<String> call : calls) {
      try {
        answers.add(call.get(2, TimeUnit.MINUTES));
      } catch (ExecutionException denied) {
        assertThat(denied).hasCauseInstanceOf(RateLimitExceededException.class);
      }
    }
    return answers;
  }
}
