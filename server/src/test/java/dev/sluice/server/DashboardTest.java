package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page, in the browser that Debian brings; its picture is kept in target/screenshots. */
class DashboardTest {
  private static final Path BROWSER = Path.of("/usr/bin/chromium");
  private static final String HOSTILE = "<img src=x onerror=document.title='broken'>";

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir Path temp;

  @Test
  void showsDecisionsAndKeysAsTextInABrowser() throws Exception {
    if (!Files.isExecutable(BROWSER)) {
      System.out.println("chromium is missing: the page was not looked at");
      assertThat(System.getenv("SLUICE_REQUIRE_ALL")).isNotEqualTo("true");
      return;
    }
    try (SluiceServer server = start(options -> options)) {
      for (int i = 0; i < 8; i++) {
        post(server, "{\"policy\":\"login\",\"key\":\"" + HOSTILE + "\"}");
      }
      String page = browse(server, "--dump-dom");
      assertThat(page)
          .contains("<bdi>&lt;img src=x onerror=document.title='broken'&gt;</bdi>")
          .contains("<title>Sluice</title>")
          .contains("sliding-log: sliding-log 5 per 1m")
          .contains("ready · store memory · 2 policies")
          .doesNotContain("<img");
      Path pictures = Files.createDirectories(Path.of("target", "screenshots"));
      Path picture = pictures.resolve("dashboard.png").toAbsolutePath();
      browse(server, "--screenshot=" + picture);
      assertThat(picture).isNotEmptyFile();
    }
  }

  @Test
  void pageForbidsEverythingFromElsewhere() throws Exception {
    try (SluiceServer server = start(options -> options)) {
      HttpResponse<String> page = get(server, "/");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("content-security-policy"))
          .hasValue(
              "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                  + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
      assertThat(page.body()).doesNotContain("style=").doesNotContain("onclick");
      for (String asset : List.of("dashboard.js", "dashboard.css", "uPlot.iife.min.js")) {
        assertThat(get(server, "/assets/" + asset).statusCode()).as(asset).isEqualTo(200);
      }
      assertThat(get(server, "/assets/index.html").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void isNotThereForOthersWithoutAToken() throws Exception {
    try (SluiceServer server = start(options -> options.bind("0.0.0.0"))) {
      assertThat(get(server, "/").statusCode()).isEqualTo(404);
      assertThat(get(server, "/v1/live").statusCode()).isEqualTo(404);
    }
    try (SluiceServer server = start(o -> o.bind("0.0.0.0").adminToken("secret"))) {
      assertThat(get(server, "/").statusCode()).isEqualTo(200);
      assertThat(get(server, "/v1/live").statusCode()).isEqualTo(401);
    }
  }

  private SluiceServer start(UnaryOperator<ServerOptions> change) {
    return SluiceServer.start(change.apply(new ServerOptions().httpPort(0)));
  }

  private HttpResponse<String> get(SluiceServer server, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(uri(server, path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private void post(SluiceServer server, String json) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri(server, "/v1/check"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json))
            .build();
    client.send(request, HttpResponse.BodyHandlers.discarding());
  }

  private static URI uri(SluiceServer server, String path) {
    return URI.create("http://127.0.0.1:" + server.httpPort() + path);
  }

  /** What the browser prints about the page after a few of its seconds. */
  private String browse(SluiceServer server, String what) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(BROWSER.toString());
    command.addAll(
        List.of("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"));
    command.addAll(
        List.of("--disable-background-networking", "--disable-component-update", "--disable-sync"));
    command.addAll(List.of("--virtual-time-budget=4000", "--window-size=1200,1100"));
    command.add("--user-data-dir=" + Files.createTempDirectory(temp, "browser"));
    command.add(what);
    command.add(uri(server, "/").toString());
    Path output = Files.createTempFile(temp, "browser", ".out");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("the browser ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
