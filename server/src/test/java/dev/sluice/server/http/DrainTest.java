package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.server.ServerOptions;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(caller.server()::close, task -> new Thread(task).start());
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
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(caller.server()::close, task -> new Thread(task).start());
      awaitDraining(caller);
      slow.send("\"demo\",\"key\":\"k\"}");
      assertThat(slow.answer()).contains("200 OK").contains("\"key\":\"k\"");
      closing.join();
    }
  }

  @Test
  void newConnectionsAreServedUntilTheDelayIsOver() throws Exception {
    Caller caller = Caller.of(new ServerOptions().respPort(0).drainDelay(Duration.ofSeconds(2)));
    CompletableFuture<Void> closing =
        CompletableFuture.runAsync(caller.server()::close, task -> new Thread(task).start());
    awaitDraining(caller);
    try (Kept late = new Kept(caller.port());
        Kept ready = new Kept(caller.port())) {
      assertThat(ready.get("/readyz")).contains("503 ");
      assertThat(late.get("/v1/check/demo/k")).contains("200 OK");
    }
    closing.join();
  }

  @Test
  void http2ConnectionIsToldTwiceAndLosesNoStream() throws Exception {
    Caller caller = Caller.of(new ServerOptions());
    byte[] body = "{\"policy\":\"demo\",\"key\":\"k\"}".getBytes(StandardCharsets.US_ASCII);
    try (Http2Wire wire = new Http2Wire(caller.port())) {
      wire.send(
          Http2Wire.frame(
              Http2Wire.HEADERS, Http2Wire.END_HEADERS, 1, Http2Wire.post("/v1/check")));
      // The server has seen that this is HTTP/2.
      wire.read(Http2Wire.SETTINGS);
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(caller.server()::close, task -> new Thread(task).start());

      assertThat(wire.read(Http2Wire.GOAWAY).lastStream()).isEqualTo(Integer.MAX_VALUE);
      // On its way when the server said so.
      wire.send(
          Http2Wire.frame(
              Http2Wire.HEADERS,
              Http2Wire.END_STREAM | Http2Wire.END_HEADERS,
              3,
              Http2Wire.GET_ROOT));
      assertThat(wire.read(Http2Wire.HEADERS).stream()).isEqualTo(3);
      assertThat(wire.read(Http2Wire.GOAWAY).lastStream()).isEqualTo(3);
      wire.send(Http2Wire.frame(Http2Wire.DATA, Http2Wire.END_STREAM, 1, body));
      Http2Wire.Frame answer = wire.read(Http2Wire.HEADERS);
      assertThat(answer.stream()).isEqualTo(1);
      assertThat(answer.payload().get(0)).as(":status 200").isEqualTo((byte) 0x88);
      closing.join();
      assertThatThrownBy(() -> wire.read(Http2Wire.HEADERS)).isInstanceOf(EOFException.class);
    }
  }

  @Test
  void http2ConnectionIsLeftAloneUntilTheDelayIsOver() throws Exception {
    Caller caller = Caller.of(new ServerOptions().drainDelay(Duration.ofSeconds(3)));
    try (Http2Wire wire = new Http2Wire(caller.port())) {
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(caller.server()::close, task -> new Thread(task).start());
      awaitDraining(caller);
      wire.send(
          Http2Wire.frame(
              Http2Wire.HEADERS,
              Http2Wire.END_STREAM | Http2Wire.END_HEADERS,
              1,
              Http2Wire.GET_ROOT));
      List<Integer> types = new ArrayList<>();
      while (!types.contains(Http2Wire.DATA)) {
        types.add(wire.read().type());
      }
      assertThat(types).doesNotContain(Http2Wire.GOAWAY);
      closing.join();
    }
  }

  @Test
  void portIsClosedWhenTheDelayIsOverThoughOneRequestIsUnderWay() throws Exception {
    Caller caller = Caller.of(new ServerOptions());
    int port = caller.port();
    try (Kept slow = new Kept(port)) {
      slow.send("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 27\r\n\r\n{\"policy\":");
      assertThat(caller.get("/healthz").statusCode()).isEqualTo(200);
      CompletableFuture<Void> closing =
          CompletableFuture.runAsync(caller.server()::close, task -> new Thread(task).start());
      await().atMost(Duration.ofSeconds(4)).until(() -> isRefused(port));
      slow.send("\"demo\",\"key\":\"k\"}");
      assertThat(slow.answer()).contains("200 OK").contains("connection: close");
      closing.join();
    }
  }

  private static boolean isRefused(int port) throws IOException {
    try (Socket open = new Socket(InetAddress.getLoopbackAddress(), port)) {
      assertThat(open.isConnected()).isTrue();
      return false;
    } catch (ConnectException refused) {
      return true;
    }
  }

  private static void awaitDraining(Caller caller) {
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> caller.server().context().readiness().state().name().equals("DRAINING"));
  }
}
