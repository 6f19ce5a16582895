package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that ask a server, and something else answers. */
class StrangerTest {
  private HttpServer stranger;
  private String address;
  private volatile int status;
  private volatile String body = "";

  @BeforeEach
  void start() throws IOException {
    stranger = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    stranger.createContext(
        "/",
        exchange -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    stranger.start();
    address = "http://127.0.0.1:" + stranger.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    stranger.stop(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          200 | {"status":"ok"}
          200 | {"allowed":"yes"}
          200 | {"allowed":true} {"allowed":true}
          200 | [true]
          200 | <html>welcome</html>
          200 | ``
          429 | <html>slow down</html>
          429 | {"error":"slow down"}
          502 | <html>bad gateway</html>
          500 | {"error":"broken"}
          """)
  void isNotBelieved(int status, String body) {
    this.status = status;
    this.body = body;
    String told = "not a sluice server: HTTP status %d without an answer of one\n";
    for (String[] check : new String[][] {{"check", "p", "k"}, {"check", "p", "k", "--json"}}) {
      assertThat(call(check))
          .isEqualTo(failed("sluice check: " + address + "/v1/check: " + told.formatted(status)));
    }
    assertThat(call("top", "--once"))
        .isEqualTo(failed("sluice top: " + address + "/v1/top: " + told.formatted(status)));
  }

  @Test
  void decisionIsBelievedAndItsLeaseShown() {
    status = 200;
    body = "{\"allowed\":true,\"binding\":\"held\",\"remaining\":4,\"lease\":\"1.x\"}";
    assertThat(call("check", "p", "k"))
        .isEqualTo(new Cli.Result(0, "allowed: limit 'held', 4 left, lease 1.x\n", ""));
    assertThat(call("check", "p", "k", "--json")).isEqualTo(new Cli.Result(0, body + "\n", ""));
    status = 429;
    body = "{\"allowed\":false,\"binding\":\"held\",\"remaining\":0,\"retryAfterMillis\":7}";
    assertThat(call("check", "p", "k"))
        .isEqualTo(new Cli.Result(1, "denied: limit 'held', 0 left, retry in 7 ms\n", ""));
  }

  @Test
  void tokenThatIsNoneIsNamed() {
    assertThat(call("top", "--once", "--admin-token", "secret\n"))
        .isEqualTo(failed("sluice top: --admin-token: must be one line of printable characters\n"));
  }

  private Cli.Result call(String... args) {
    return Cli.call(Map.of("SLUICE_SERVER", address), args);
  }

  private static Cli.Result failed(String err) {
    return new Cli.Result(2, "", err);
  }
}
