package dev.sluice.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.server.http.Doc;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Debian's Chromium, driven through its own ChromeDriver with the requests of the W3C WebDriver
 * recommendation. They are few enough here to need no library.
 */
final class Browser implements AutoCloseable {
  static final String TAB = "\uE004";
  static final String ENTER = "\uE007";

  private static final String ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
  private static final Pattern STARTED = Pattern.compile("started successfully on port (\\d+)");
  private static final List<String> OPTIONS =
      List.of(
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--window-size=1280,1400");

  private final Process driver;
  private final HttpClient client = HttpClient.newHttpClient();
  private final String session;

  private Browser(Process driver, int port, Path profile) {
    this.driver = driver;
    List<String> args =
        java.util.stream.Stream.concat(
                OPTIONS.stream(), java.util.stream.Stream.of("--user-data-dir=" + profile))
            .toList();
    Map<String, Object> wanted =
        Map.of(
            "goog:chromeOptions", Map.of("args", args),
            "goog:loggingPrefs", Map.of("browser", "ALL"));
    String root = "http://127.0.0.1:" + port + "/session";
    Map<?, ?> made = (Map<?, ?>) send(root, Map.of("capabilities", Map.of("alwaysMatch", wanted)));
    this.session = root + "/" + made.get("sessionId");
  }

  /** A browser of its own; empty where there is none (see {@link Programs#find}). */
  static Optional<Browser> start(Path temp) throws IOException {
    Optional<String> program = Programs.find("chromedriver");
    if (program.isEmpty() || Programs.find("chromium").isEmpty()) {
      return Optional.empty();
    }
    Process driver =
        new ProcessBuilder(program.get(), "--port=0").redirectErrorStream(true).start();
    BufferedReader out = new BufferedReader(new InputStreamReader(driver.getInputStream(), UTF_8));
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      Matcher started = STARTED.matcher(line);
      if (started.find()) {
        Path profile = Files.createTempDirectory(temp, "browser");
        return Optional.of(new Browser(driver, Integer.parseInt(started.group(1)), profile));
      }
    }
    throw new IllegalStateException("chromedriver ended before it was ready");
  }

  void open(String url) {
    command("/url", Map.of("url", url));
  }

  /** What a script returns. */
  Object eval(String script) {
    return command("/execute/sync", Map.of("script", "return " + script, "args", List.of()));
  }

  /** The text of an element as a reader sees it. */
  String text(String css) {
    return (String) get(element(css) + "/text");
  }

  void click(String css) {
    command(element(css) + "/click", Map.of());
  }

  /** Replaces what a field holds. */
  void fill(String css, String text) {
    command(element(css) + "/clear", Map.of());
    command(element(css) + "/value", Map.of("text", text));
  }

  /** Presses keys in whatever has the focus. */
  void press(String keys) {
    Map<?, ?> active = (Map<?, ?>) get("/element/active");
    command("/element/" + active.get(ELEMENT) + "/value", Map.of("text", keys));
  }

  void colours(String scheme) {
    Map<String, String> feature = Map.of("name", "prefers-color-scheme", "value", scheme);
    emulate("setEmulatedMedia", Map.of("features", List.of(feature)));
  }

  void size(int width, int height) {
    emulate(
        "setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  private void emulate(String what, Map<String, ?> params) {
    command("/goog/cdp/execute", Map.of("cmd", "Emulation." + what, "params", params));
  }

  /**
   * What the console has said since the last look: errors, and violations of the page's policy. Not
   * the answers that are no 200: a denial is what the page asked for.
   */
  List<?> console() {
    List<?> entries = (List<?>) command("/se/log", Map.of("type", "browser"));
    return entries.stream()
        .filter(entry -> !"network".equals(((Map<?, ?>) entry).get("source")))
        .toList();
  }

  void picture(String name) throws IOException {
    Path pictures = Files.createDirectories(Path.of("target", "screenshots"));
    Files.write(
        pictures.resolve(name + ".png"), Base64.getDecoder().decode((String) get("/screenshot")));
  }

  private String element(String css) {
    Map<?, ?> found =
        (Map<?, ?>) command("/element", Map.of("using", "css selector", "value", css));
    return "/element/" + found.get(ELEMENT);
  }

  private Object command(String path, Map<String, ?> body) {
    return send(session + path, body);
  }

  private Object get(String path) {
    return value(HttpRequest.newBuilder(URI.create(session + path)).GET());
  }

  private Object send(String url, Map<String, ?> body) {
    return value(
        HttpRequest.newBuilder(URI.create(url))
            .POST(HttpRequest.BodyPublishers.ofString(Doc.text(body))));
  }

  private Object value(HttpRequest.Builder request) {
    try {
      HttpResponse<String> response =
          client.send(
              request.timeout(Duration.ofMinutes(1)).build(), HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(response.body());
      }
      return Doc.of(response).get("value");
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  @Override
  public void close() {
    try {
      value(HttpRequest.newBuilder(URI.create(session)).DELETE());
    } finally {
      driver.destroy();
    }
  }
}
