package dev.sluice.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ServerOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attacks on the port, next to a client who must not notice. Its 99th percentile is printed. */
class AbuseTest {
  // Larger by hand: -Dsluice.abuse.connections=5000 -Dsluice.abuse.resets=100000
  private static final int CONNECTIONS = Integer.getInteger("sluice.abuse.connections", 2_000);
  private static final int CHUNKS = 1 << 14;
  private static final int RESETS = Integer.getInteger("sluice.abuse.resets", 20_000);
  private static final int ENHANCE_YOUR_CALM = 11;

  private static final String CHUNKED_POST =
      """
      POST /v1/check HTTP/1.1\r
      Host: x\r
      Content-Type: application/json\r
      Connection: close\r
      Transfer-Encoding: chunked\r
      \r
      """;

  private Caller caller;

  @BeforeEach
  void start() {
    caller = Caller.of(new ServerOptions());
  }

  @AfterEach
  void stop() {
    caller.close();
  }

  private interface Attack {
    void run() throws IOException;
  }

  /** Attacks while the good client asks one thing after the other; every answer must be good. */
  private void nextToAGoodClient(String what, Attack attack) throws IOException {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<List<Long>> good =
        CompletableFuture.supplyAsync(
            () -> {
              List<Long> micros = new ArrayList<>();
              while (!over.get() || micros.size() < 100) {
                long started = System.nanoTime();
                assertThat(caller.get("/v1/keys/demo/good").statusCode()).isEqualTo(200);
                micros.add((System.nanoTime() - started) / 1_000);
              }
              return micros;
            },
            task -> new Thread(task).start());
    try {
      attack.run();
    } finally {
      over.set(true);
    }
    List<Long> micros = good.join();
    Collections.sort(micros);
    System.out.printf(
        "%s: the good client asked %d times, p99 %d µs%n",
        what, micros.size(), micros.get(micros.size() * 99 / 100));
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), caller.port());
    socket.setSoTimeout(30_000);
    return socket;
  }

  @Test
  void halfOpenConnectionsAreCutOff() throws IOException {
    List<Socket> sockets = new ArrayList<>();
    try {
      nextToAGoodClient(
          CONNECTIONS + " half-open connections",
          () -> {
            for (int i = 0; i < CONNECTIONS; i++) {
              Socket socket = connect();
              sockets.add(socket);
              String begun = i % 2 == 0 ? "GET /healthz HTTP/1.1\r\nHo" : "PRI";
              socket.getOutputStream().write(begun.getBytes(ISO_8859_1));
            }
            for (Socket socket : sockets.subList(0, 50)) {
              assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
          });
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void bodyThatNeverEndsIsRefusedAfter64Kilobytes() throws IOException {
    nextToAGoodClient(
        "a body without end",
        () -> {
          try (Socket socket = connect()) {
            OutputStream out = socket.getOutputStream();
            out.write(CHUNKED_POST.getBytes(ISO_8859_1));
            byte[] chunk = ("10000\r\n" + " ".repeat(1 << 16) + "\r\n").getBytes(ISO_8859_1);
            int sent = 0;
            try {
              while (sent < CHUNKS) {
                out.write(chunk);
                sent++;
              }
            } catch (IOException refused) {
              assertThat(sent).isLessThan(CHUNKS / 16);
            }
            assertThat(sent).as("chunks before the connection ended").isLessThan(CHUNKS);
          }
        });
  }

  @Test
  void chunkedBodyOver64KilobytesIsToldSo() throws IOException {
    try (Socket socket = connect()) {
      String body = "14000\r\n" + " ".repeat(0x14000) + "\r\n0\r\n\r\n";
      socket.getOutputStream().write((CHUNKED_POST + body).getBytes(ISO_8859_1));
      byte[] answer = socket.getInputStream().readNBytes(12);
      assertThat(new String(answer, ISO_8859_1)).isEqualTo("HTTP/1.1 413");
    }
  }

  @Test
  void connectionThatResetsItsStreamsIsToldToCalmDown() throws IOException {
    nextToAGoodClient(
        RESETS + " streams opened and reset",
        () -> {
          // Whoever is cut off comes again.
          Set<Integer> reasons = new HashSet<>();
          for (int sent = 0; sent < RESETS; ) {
            try (Http2Wire wire = new Http2Wire(caller.port())) {
              CompletableFuture<Integer> ended =
                  CompletableFuture.supplyAsync(
                      () -> reason(wire), task -> new Thread(task).start());
              sent += resetUntilCutOff(wire, RESETS - sent);
              reasons.add(ended.join());
            }
          }
          assertThat(reasons).contains(ENHANCE_YOUR_CALM);
        });
  }

  private static int resetUntilCutOff(Http2Wire wire, int most) {
    int sent = 0;
    try {
      while (sent < most) {
        wire.send(openAndReset(2 * sent + 1));
        sent++;
      }
      wire.finishSending();
    } catch (IOException cutOff) {
      assertThat(sent).isPositive();
    }
    return sent;
  }

  private static byte[] openAndReset(int stream) {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    both.writeBytes(
        Http2Wire.frame(
            Http2Wire.HEADERS,
            Http2Wire.END_STREAM | Http2Wire.END_HEADERS,
            stream,
            Http2Wire.GET_ROOT));
    both.writeBytes(Http2Wire.frame(Http2Wire.RST_STREAM, 0, stream, Http2Wire.CANCEL));
    return both.toByteArray();
  }

  /** Why the server said that it goes away; the end of the connection without a word is 0. */
  private static int reason(Http2Wire wire) {
    try {
      int reason = 0;
      while (reason == 0) {
        reason = wire.read(Http2Wire.GOAWAY).errorCode();
      }
      return reason;
    } catch (IOException ended) {
      return 0;
    }
  }

  @Test
  void pipelinedRequestsAreAnsweredInOrder() throws IOException {
    try (Socket socket = connect()) {
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 10; i++) {
        requests.append("GET /v1/check/demo/pipelined%d HTTP/1.1\r\nHost: x\r\n\r\n".formatted(i));
      }
      requests.append("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      socket.getOutputStream().write(requests.toString().getBytes(ISO_8859_1));
      String answers = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
      int last = -1;
      for (int i = 0; i < 10; i++) {
        int at = answers.indexOf("\"key\":\"pipelined%d\"".formatted(i));
        assertThat(at).isGreaterThan(last);
        last = at;
      }
      assertThat(answers).endsWith("{\"status\":\"alive\"}");
    }
  }
}
