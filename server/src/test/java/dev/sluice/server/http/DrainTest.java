package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.server.ServerOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DrainTest {
  /** A connection that was open before the drain: asked to leave, but served. */
  private static final class Kept implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Kept(int port) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(20_000);
      in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The status line, headers and body of the answer to a GET. */
    String get(String path) throws IOException {
      send("GET %s HTTP/1.1\r\nHost: x\r\n\r\n".formatted(path));
      return answer();
    }

    String answer() throws IOException {
      StringBuilder headers = new StringBuilder();
      int length = 0;
      for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
        headers.append(line).append('\n');
        if (line.startsWith("content-length: ")) {
          length = Integer.parseInt(line.substring(16));
        }
      }
      char[] body = new char[length];
      for (int read = 0; read < length; ) {
        read += in.read(body, read, length - read);
      }
      return headers.append(body).toString();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void readinessFallsFirstAndOpenConnectionsAreServedAndAskedToLeave() throws Exception {
    Caller caller = Caller.of(new ServerOptions());
    try (Kept ready = new Kept(caller.port());
        Kept check = new Kept(caller.port())) {
      assertThat(ready.get("/readyz")).contains("200 OK").doesNotContain("connection: close");
      assertThat(check.get("/v1/check/demo/k")).contains("200 OK");
      CompletableFuture<Void> closing = CompletableFuture.runAsync(caller::close);
      awaitDraining(caller);
      assertThat(ready.get("/readyz"))
          .contains("503 ")
          .contains("connection: close")
          .endsWith("{\"status\":\"draining\"}");
      assertThat(check.get("/v1/check/demo/k")).contains("200 OK").contains("connection: close");
      closing.join();
    }
  }

  @Test
  void requestThatWasBegunIsFinished() throws Exception {
    Caller caller = Caller.of(new ServerOptions());
    try (Kept slow = new Kept(caller.port())) {
      slow.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 27\r\n\r\n{\"policy\":");
      // Answered on another connection: the server has long read what came before.
      assertThat(caller.get("/healthz").statusCode()).isEqualTo(200);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(caller::close);
      awaitDraining(caller);
      slow.send("\"demo\",\"key\":\"k\"}");
      assertThat(slow.answer()).contains("200 OK").contains("\"key\":\"k\"");
      closing.join();
    }
  }

  @Test
  void newConnectionsAreServedUntilTheDelayIsOver() throws Exception {
    Caller caller = Caller.of(new ServerOptions().respPort(0).drainDelay(Duration.ofSeconds(2)));
    CompletableFuture<Void> closing = CompletableFuture.runAsync(caller::close);
    awaitDraining(caller);
    try (Kept late = new Kept(caller.port());
        Kept ready = new Kept(caller.port())) {
      assertThat(ready.get("/readyz")).contains("503 ");
      assertThat(late.get("/v1/check/demo/k")).contains("200 OK");
    }
    closing.join();
  }

  private static void awaitDraining(Caller caller) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> caller.server().context().readiness().state().name().equals("DRAINING"));
  }
}
