package dev.sluice.servlet;

import static org.apache.tomcat.util.buf.EncodedSolidusHandling.DECODE;
import static org.apache.tomcat.util.buf.EncodedSolidusHandling.PASS_THROUGH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import dev.sluice.http.ClientAddress;
import dev.sluice.http.LimitRules;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.UriCompliance;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers that refuse no path, each with its own way to read one: none leads past a rule. */
class FilterReadingsTest {
  private static final List<String> SERVLETS =
      List.of("/a", "/b", "/a/a", "/a/b", "/b/a", "/b/b", "/a/a/a", "/a/b/a", "/b/a/b");

  private static final List<String> PARTS =
      List.of(
          "a",
          "b",
          "a/",
          "/b",
          "//",
          "/../",
          "/../app/",
          "/./",
          "/%2e%2e/",
          "/..;v/",
          ";v=1/",
          "%2F",
          "%2f..",
          "%5C",
          "%5c..",
          "\\",
          "\\..\\");

  static Stream<Named<Container>> containers() {
    return Stream.of(
        Named.of("Jetty, legacy", new JettyContainer().lenient(UriCompliance.LEGACY)),
        Named.of("Jetty, unsafe", new JettyContainer().lenient(UriCompliance.UNSAFE)),
        Named.of("Tomcat, all decoded", new TomcatContainer().lenient(DECODE, DECODE)),
        Named.of("Tomcat, / decoded", new TomcatContainer().lenient(DECODE, PASS_THROUGH)),
        Named.of("Tomcat, \\ decoded", new TomcatContainer().lenient(PASS_THROUGH, DECODE)),
        Named.of("Tomcat, as sent", new TomcatContainer().lenient(PASS_THROUGH, PASS_THROUGH)));
  }

  @ParameterizedTest
  @MethodSource("containers")
  void noReadingOfAPathReachesAServletPastItsRule(Container container) throws Exception {
    try (Sluice sluice = Sluice.inMemory()) {
      sluice.limiter("none", Limit.slidingLog(1, Duration.ofHours(1))).tryAcquire("all");
      container.filter(
          "rate-limit",
          RateLimitFilter.of(sluice, LimitRules.parse(rules(), ClientAddress.ofPeer())),
          EnumSet.of(DispatcherType.REQUEST),
          true);
      SERVLETS.forEach(path -> container.servlet(path, new Reached()));
      int port = container.start();
      Random random = new Random(20);
      int limited = 0;
      for (int i = 0; i < 1_000; i++) {
        String path =
            random
                .ints(2 + random.nextInt(7), 0, PARTS.size())
                .mapToObj(PARTS::get)
                .collect(Collectors.joining("", "/app/", ""));
        int status = statusOf(port, path);
        assertThat(status).as(path).isNotEqualTo(200);
        limited += status == 429 ? 1 : 0;
      }
      assertThat(limited).as("paths that are limited").isGreaterThan(20);
    } finally {
      container.stop();
    }
  }

  private static List<Map<String, String>> rules() {
    return SERVLETS.stream()
        .map(path -> Map.of("path", path, "policy", "none", "key", "everyone"))
        .toList();
  }

  private static int statusOf(int port, String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      String head = "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(head.formatted(path).getBytes(StandardCharsets.UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }

  private static final class Reached extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      response.setStatus(200);
    }
  }
}
