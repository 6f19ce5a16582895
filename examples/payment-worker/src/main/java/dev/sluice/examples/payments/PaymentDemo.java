package dev.sluice.examples.payments;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A provider, three workers in processes of their own, and what the provider saw of them. */
public final class PaymentDemo {
  private PaymentDemo() {}

  /** {@code PaymentDemo [REDIS [SECONDS]]}: by default the local Redis, for 20 seconds. */
  public static void main(String[] args) throws Exception {
    String redis = args.length > 0 ? args[0] : "redis://localhost:6379";
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 20;
    try (Provider provider = new Provider()) {
      run(provider, redis, Duration.ofMillis(1_010), seconds);
      long calls = provider.within(seconds);
      System.out.printf(
          "%d calls in %d s, %.1f %% of the limit; most in any second: %d of 100; by worker: %s%n",
          calls, seconds, calls / (seconds * 1.0), provider.mostInASecond(), provider.workers());
    }
  }

  /** Lets three workers call the provider for so many seconds after the first call. */
  static void run(Provider provider, String redis, Duration period, int seconds)
      throws IOException, InterruptedException {
    List<Process> workers = new ArrayList<>();
    try {
      for (int i = 1; i <= 3; i++) {
        workers.add(start("worker-" + i, redis, provider.uri().toString(), period));
      }
      // Not from now on: the workers start first, and one may be ready before the others.
      while (provider.workers().size() < 3 && workers.stream().allMatch(Process::isAlive)) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
      TimeUnit.SECONDS.sleep(seconds);
    } finally {
      workers.forEach(Process::destroy);
    }
  }

  private static Process start(String name, String redis, String provider, Duration period)
      throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            Worker.class.getName(),
            name,
            redis,
            provider,
            Long.toString(period.toMillis()))
        .inheritIO()
        .start();
  }
}
