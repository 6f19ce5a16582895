package dev.sluice.examples.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;

class ServletAppTest {
  @Test
  void theSixthRequestOfAMinuteIsDenied() throws Exception {
    Server server = ServletApp.server(0);
    server.start();
    try {
      HttpRequest request = HttpRequest.newBuilder(server.getURI().resolve("/hello")).build();
      HttpClient client = HttpClient.newHttpClient();
      for (int left = 4; left >= 0; left--) {
        HttpResponse<String> allowed = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(allowed.statusCode()).isEqualTo(200);
        assertThat(allowed.headers().firstValue("X-RateLimit-Remaining")).hasValue("" + left);
      }
      HttpResponse<String> denied = client.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.headers().firstValue("Retry-After")).isPresent();
    } finally {
      server.stop();
    }
  }
}
