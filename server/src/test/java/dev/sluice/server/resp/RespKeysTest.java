package dev.sluice.server.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RespKeysTest {
  @Test
  void differentBytesAreDifferentKeys() {
    byte[][] alike = {
      {'a'},
      {(byte) 0xFF},
      {(byte) 0xC3, (byte) 0xBF},
      "\u00FF".getBytes(StandardCharsets.ISO_8859_1),
      {(byte) 0xFE},
      {(byte) 0xC0, (byte) 0x80},
      {0},
      {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
      {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD}
    };
    Set<String> keys = new HashSet<>();
    for (byte[] bytes : alike) {
      keys.add(KeyText.of(bytes, 0, bytes.length));
    }
    // The second and the fourth are the same byte.
    assertThat(keys).hasSize(alike.length - 1);
  }

  @Test
  void utf8IsTheSameKeyThroughEveryFace() {
    String key = "Zoë 🦊 <img onerror=x> \u202E\u0000";
    byte[] among = ("é" + key + "é").getBytes(StandardCharsets.UTF_8);
    assertThat(KeyText.of(among, 2, among.length - 2)).isEqualTo(key);
  }

  @Test
  void samePolicyGivesTheSameAnswersThroughJavaAndResp() throws IOException {
    FakeClock clock = new FakeClock();
    Limit[] limits = {
      Limit.tokenBucket(7, Duration.ofSeconds(3)).burst(9),
      Limit.slidingLog(20, Duration.ofSeconds(10))
    };
    RateLimiter java = Sluice.of(new InMemoryStore(clock, 1_000)).limiter("api", limits);
    Sluice served = Sluice.of(new InMemoryStore(clock, 1_000));
    served.limiter("api", limits);
    Random random = new Random(42);
    try (RespServer server = new RespServer(served, RespOptions.on("127.0.0.1", 0).inMemory(true));
        Wire wire = new Wire(server.port())) {
      for (int i = 0; i < 500; i++) {
        clock.advanceMicros(random.nextInt(900_000));
        String key = "k" + random.nextInt(3);
        long cost = 1L + random.nextInt(10);
        assertThat(wire.ask("SLUICE.CHECK", "api", key, Long.toString(cost)))
            .as("step %d of seed 42", i)
            .isEqualTo(asReply(java.tryAcquire(key, cost)));
      }
    }
  }

  private static String asReply(Decision decision) {
    long retry = decision.neverPasses() ? -1 : (decision.retryAfterMicros() + 999) / 1_000;
    return "[%d, %d, %d, %d, %d]"
        .formatted(
            decision.allowed() ? 1 : 0,
            decision.binding().orElseThrow().capacity(),
            decision.remaining(),
            retry,
            (decision.resetAfterMicros() + 999) / 1_000);
  }
}
