package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Where Netty has no transport of its own for the system, as on macOS, Windows or Alpine. */
class PlatformTest {
  /** The other process. */
  static final class Asks {
    private Asks() {}

    public static void main(String[] args) {
      try (Sluice sluice =
          Sluice.of(
              RedisStore.connect(
                  RedisAddress.parse(args[0]),
                  RedisOptions.defaults().withDeadline(Duration.ofSeconds(20))))) {
        System.out.println(
            sluice.limiter("p", Limit.fixedWindow(2, Duration.ofDays(365))).tryAcquire("k"));
      }
    }
  }

  @Test
  void storeConnectsWithoutNativeTransports() throws Exception {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                  "-Dorg.slf4j.simpleLogger.log.dev.sluice=error",
                  "-Dio.lettuce.core.epoll=false",
                  "-Dio.lettuce.core.iouring=false",
                  "-Dio.lettuce.core.kqueue=false",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Asks.class.getName(),
                  "redis://127.0.0.1:" + server.port())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said).isEqualTo("p 'k' allowed by fixed-window, 1 of 2 left%n".formatted());
      assertThat(process.waitFor()).isZero();
    }
  }
}
