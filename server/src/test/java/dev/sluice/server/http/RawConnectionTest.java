package dev.sluice.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ServerOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What no well-behaved client sends. */
class RawConnectionTest {
  private static Caller caller;

  @BeforeAll
  static void start() {
    caller = Caller.of(new ServerOptions());
  }

  @AfterAll
  static void stop() {
    caller.close();
  }

  private static String answer(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), caller.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private static String post(String header) {
    return "POST /v1/check HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n".formatted(header);
  }

  @Test
  void http10ClientsGetTheirAnswerAndTheEnd() throws IOException {
    String answer = answer("GET /v1/check/demo/old HTTP/1.0\r\nHost: x\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").endsWith("]}");
  }

  @Test
  void http10ClientsAreToldThatTheConnectionStays() throws IOException {
    String stays = "GET /healthz HTTP/1.0\r\nHost: x\r\nConnection: Keep-Alive\r\n\r\n";
    String ends = "GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n";
    assertThat(answer(stays + ends).lines().filter(line -> line.startsWith("connection")))
        .containsExactly("connection: keep-alive", "connection: close");
  }

  @Test
  void connectionIsClosedWhenTheClientAsksForIt() throws IOException {
    String answer = answer("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 200 OK\r\n").endsWith("{\"status\":\"alive\"}");
  }

  @Test
  void whoIsStillSendingIsToldWhyNobodyListens() throws IOException {
    String body = "x".repeat(4_000_000);
    for (int i = 0; i < 10; i++) {
      assertThat(answer(post("Content-Length: " + body.length()) + body))
          .startsWith("HTTP/1.1 413 ")
          .contains("body: must be at most 65536 bytes");
    }
  }

  @Test
  void dotsAndNulInAPathAreABadRequestWithADocument() throws IOException {
    for (String path : new String[] {"/v1/check/demo/..", "/v1/check/demo/%00", "/v1/check/%zz"}) {
      String answer = answer("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      assertThat(answer)
          .startsWith("HTTP/1.1 400 Bad Request\r\n")
          .contains("content-type: application/problem+json\r\n")
          .contains("POST /v1/check takes any key");
    }
  }

  private static String get(String target) throws IOException {
    return answer("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }

  @Test
  void bytesOfAPathThatAreNotEncodedAreRefusedNotTakenForAnotherKey() throws IOException {
    assertThat(get("/v1/check/demo/\u00c3\u00a9x"))
        .startsWith("HTTP/1.1 400 Bad Request\r\n")
        .contains("path: must be percent-encoded UTF-8, got a character that is not ASCII");
  }

  @Test
  void absoluteFormIsTakenByItsPath() throws IOException {
    assertThat(get("http://any.example/healthz"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .endsWith("{\"status\":\"alive\"}");
    assertThat(get("HTTP://any.example:80/v1/check/demo/a%2Fb?cost=2"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .contains("\"key\":\"a/b\",\"cost\":2,");
    assertThat(get("http://any.example")).startsWith("HTTP/1.1 200 OK\r\n").contains("<html");
    for (String wrong : new String[] {"ftp://any.example/healthz", "http:///healthz", "healthz"}) {
      assertThat(get(wrong)).as(wrong).startsWith("HTTP/1.1 400 Bad Request\r\n");
    }
  }

  @Test
  void methodThatNobodyKnowsIsToldTheRightOnes() throws IOException {
    String end = " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assertThat(answer("FOO /v1/check?deny=403" + end))
        .startsWith("HTTP/1.1 405 Method Not Allowed\r\n")
        .contains("allow: POST\r\n")
        .contains("content-type: application/problem+json\r\n")
        .contains("method: must be POST here, got another");
    assertThat(answer("FOO /nowhere/%FF" + end))
        .startsWith("HTTP/1.1 405 Method Not Allowed\r\n")
        .contains("allow: DELETE, GET, HEAD, POST\r\n");
  }

  @Test
  void headersOver16KilobytesAreRefused() throws IOException {
    String answer =
        answer("GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + "x".repeat(17_000) + "\r\n\r\n");
    assertThat(answer)
        .startsWith("HTTP/1.1 431 ")
        .contains("headers: must be at most 16384 bytes, the path included");
    String longPath = answer("GET /" + "x".repeat(17_000) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(longPath).startsWith("HTTP/1.1 414 ");
  }

  @Test
  void declaredLengthOverTheLimitIsRefusedBeforeTheBody() throws IOException {
    String answer = answer(post("Content-Length: 1000000000"));
    assertThat(answer).startsWith("HTTP/1.1 413 ").contains("body: must be at most 65536 bytes");
  }

  @Test
  void headerThatNeverEndsIsCutOffWhileOthersAreServed() throws IOException {
    try (Socket slow = new Socket(InetAddress.getLoopbackAddress(), caller.port())) {
      slow.setSoTimeout(30_000);
      slow.getOutputStream().write("GET /healthz HTTP/1.1\r\nHo".getBytes(ISO_8859_1));
      assertThat(caller.get("/healthz").statusCode()).isEqualTo(200);
      InputStream in = slow.getInputStream();
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void bodyThatNeverEndsIsCutOff() throws IOException {
    String answer = answer(post("Content-Length: 100") + "{");
    assertThat(answer)
        .satisfiesAnyOf(
            none -> assertThat(none).isEmpty(),
            late -> assertThat(late).startsWith("HTTP/1.1 503 "));
  }

  @Test
  void http2WithoutTlsIsSpokenOnTheSamePort() throws Exception {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
    HttpRequest request = caller.request("/v1/check/demo/h2").build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(response.statusCode()).isEqualTo(200);
  }
}
