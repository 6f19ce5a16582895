package dev.sluice.examples.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = "server.address=127.0.0.1")
class ApiApplicationTest {
  @Value("${local.server.port}")
  private int port;

  private HttpResponse<String> get(String path, String apiKey)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("X-Api-Key", apiKey)
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void eachPlanHasItsLimits() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertThat(get("/api/hello", "key-of-ada").statusCode()).isEqualTo(200);
    }
    assertThat(get("/api/hello", "key-of-ada").statusCode()).isEqualTo(429);
    for (int i = 0; i < 20; i++) {
      assertThat(get("/api/hello", "key-of-grace").statusCode()).isEqualTo(200);
      assertThat(get("/api/hello", "key-of-ops").headers().firstValue("RateLimit")).isEmpty();
    }
    assertThat(get("/api/hello", "key-of-grace").headers().firstValue("RateLimit-Policy"))
        .hasValueSatisfying(policy -> assertThat(policy).startsWith("\"burst\";q=50;w=5, "));
    assertThat(get("/api/hello", "stolen").statusCode()).isEqualTo(400);
  }

  @Test
  void aReportCostsItsPages() throws Exception {
    assertThat(get("/api/report?pages=90", "key-of-ops").statusCode()).isEqualTo(200);
    HttpResponse<String> denied = get("/api/report?pages=90", "key-of-ops");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(denied.body()).contains("too few for a cost of 90");
  }
}
