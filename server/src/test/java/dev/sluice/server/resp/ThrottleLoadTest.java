package dev.sluice.server.resp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The vectors of CL.THROTTLE on many keys, pipelined over several connections as fast as the
 * machine goes, every reply compared. The rate that was reached is printed.
 */
class ThrottleLoadTest {
  private static final int CONNECTIONS = 4;
  private static final int KEYS = 4_000;
  private static final int KEYS_IN_A_PIPELINE = 50;
  private static final int COMMANDS_A_KEY = 20;
  private static final String REPLIES = replies();

  private static String replies() {
    StringBuilder replies = new StringBuilder();
    replies.append(reply(0, 16, -1, 0)).append(reply(1, 16, -1, 0));
    for (int left = 15; left >= 0; left--) {
      replies.append(reply(0, left, -1, 2 * (16 - left)));
    }
    return replies.append(reply(1, 0, 2, 32)).append(reply(1, 0, -1, 32)).toString();
  }

  private static String reply(int limited, int left, int retryAfter, int resetAfter) {
    return "*5\r\n:%d\r\n:16\r\n:%d\r\n:%d\r\n:%d\r\n"
        .formatted(limited, left, retryAfter, resetAfter);
  }

  private static String commands(String key) {
    return Wire.command("CL.THROTTLE", key, "15", "30", "60", "0")
        + Wire.command("CL.THROTTLE", key, "15", "30", "60", "17")
        + Wire.command("CL.THROTTLE", key, "15", "30", "60").repeat(17)
        + Wire.command("CL.THROTTLE", key, "15", "30", "60", "17");
  }

  @Test
  void vectorsHoldUnderLoad() {
    // Time stands still, or a slow machine would see permits come back.
    Sluice sluice = Sluice.of(new InMemoryStore(new FakeClock(), 100_000));
    try (RespServer server =
        new RespServer(sluice, RespOptions.on("127.0.0.1", 0).inMemory(true))) {
      long started = System.nanoTime();
      List<CompletableFuture<Void>> clients =
          IntStream.range(0, CONNECTIONS)
              .mapToObj(
                  client ->
                      CompletableFuture.runAsync(
                          () -> askAll(server.port(), "c" + client),
                          task -> new Thread(task).start()))
              .toList();
      clients.forEach(CompletableFuture::join);
      double seconds = (System.nanoTime() - started) / 1e9;
      System.out.printf(
          "CL.THROTTLE: %,d replies compared, %,.0f a second%n",
          CONNECTIONS * KEYS * COMMANDS_A_KEY, CONNECTIONS * KEYS * COMMANDS_A_KEY / seconds);
    }
  }

  private static void askAll(int port, String client) {
    byte[] expected = REPLIES.repeat(KEYS_IN_A_PIPELINE).getBytes(US_ASCII);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(30_000);
      OutputStream out = socket.getOutputStream();
      InputStream in = socket.getInputStream();
      for (int key = 0; key < KEYS; key += KEYS_IN_A_PIPELINE) {
        StringBuilder pipeline = new StringBuilder();
        for (int i = 0; i < KEYS_IN_A_PIPELINE; i++) {
          pipeline.append(commands(client + ":" + (key + i)));
        }
        out.write(pipeline.toString().getBytes(US_ASCII));
        assertThat(new String(in.readNBytes(expected.length), US_ASCII))
            .isEqualTo(new String(expected, US_ASCII));
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
