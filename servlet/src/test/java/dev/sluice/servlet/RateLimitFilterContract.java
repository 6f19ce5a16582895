package dev.sluice.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import dev.sluice.http.ClientAddress;
import dev.sluice.http.Dialect;
import dev.sluice.http.LimitRules;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.testkit.ApacheBench;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the filter does in every container, over real sockets. */
abstract class RateLimitFilterContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final EnumSet<DispatcherType> REQUEST = EnumSet.of(DispatcherType.REQUEST);

  private final HttpClient client = HttpClient.newHttpClient();
  private final Sluice sluice = Sluice.inMemory();
  private final TestServlets servlets = new TestServlets();
  private Container container;
  private int port;

  abstract Container container();

  @BeforeEach
  void open() {
    container = container();
    sluice.limiter("api", Limit.slidingLog(3, HOUR).name("hourly"));
    sluice.limiter("big", Limit.slidingLog(1_000, HOUR));
    sluice.limiter("jobs", Limit.concurrency(1));
    sluice.limiter("queue", Limit.leakyBucket(1, Duration.ofSeconds(1)).queue(3));
    servlets.addTo(container);
  }

  @AfterEach
  void close() throws Exception {
    servlets.finish();
    container.stop();
    sluice.close();
  }

  private RateLimitFilter filter() {
    return RateLimitFilter.of(
        sluice,
        LimitRules.parse(
            List.of(
                Map.of("path", "/free", "exempt", true),
                Map.of("path", "/jobs/**", "policy", "jobs", "key", "everyone"),
                Map.of("path", "/queue", "policy", "queue", "key", "everyone"),
                Map.of("path", "/big", "policy", "big", "key", "everyone"),
                Map.of("path", "/keyed", "policy", "api", "key", "api-key"),
                Map.of("path", "/**", "policy", "api", "key", "address")),
            ClientAddress.ofPeer()));
  }

  private void start() throws Exception {
    start(filter(), EnumSet.allOf(DispatcherType.class), true);
  }

  private void start(Filter filter, EnumSet<DispatcherType> types, boolean async) throws Exception {
    container.filter("rate-limit", filter, types, async);
    port = container.start();
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port + "/app" + path);
  }

  private HttpResponse<String> get(String path, String... headers) {
    return getAsync(path, headers).join();
  }

  private CompletableFuture<HttpResponse<String>> getAsync(String path, String... headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Test
  void everyCheckedResponseSaysWhatIsLeft() throws Exception {
    start();
    HttpResponse<String> response = get("/hello");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("done");
    assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"hourly\";q=3;w=3600");
    assertThat(header(response, "RateLimit")).isEqualTo("\"hourly\";r=2;t=3600");
    assertThat(header(response, "X-RateLimit-Limit")).isEqualTo("3");
    assertThat(header(response, "X-RateLimit-Remaining")).isEqualTo("2");
    assertThat(header(response, "X-RateLimit-Reset")).isEqualTo("3600");
    assertThat(header(response, "Retry-After")).isEmpty();
    assertThat(get("/error").statusCode()).isEqualTo(500);
    assertThat(header(get("/error"), "X-RateLimit-Remaining")).isEqualTo("0");
  }

  @Test
  void aDenialIsAProblemThatTellsNoKey() throws Exception {
    start();
    IntStream.range(0, 3).forEach(i -> get("/hello"));
    HttpResponse<String> denied = get("/hello");
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(header(denied, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(Integer.parseInt(header(denied, "Retry-After"))).isBetween(3_590, 3_600);
    assertThat(denied.body())
        .startsWith(
            "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                + "\"title\":\"Quota exceeded\",\"status\":429,")
        .contains("\"violated-policies\":[\"hourly\"]")
        .doesNotContain("127.0.0.1");
    assertThat(servlets.calls()).isEqualTo(3);
  }

  @Test
  void whatNoRuleLimitsHasNoHeaders() throws Exception {
    start();
    assertThat(get("/free").statusCode()).isEqualTo(200);
    assertThat(header(get("/free"), "RateLimit")).isEmpty();
  }

  @Test
  void aRequestWithoutItsKeyIsABadRequest() throws Exception {
    start();
    HttpResponse<String> refused = get("/keyed");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(header(refused, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(get("/keyed", "X-Api-Key", "a", "X-Api-Key", "b").statusCode()).isEqualTo(400);
    assertThat(get("/keyed", "X-Api-Key", "a").statusCode()).isEqualTo(200);
    assertThat(servlets.calls()).isEqualTo(1);
  }

  @Test
  void aClientCannotChooseItsAddress() throws Exception {
    start();
    for (int i = 0; i < 3; i++) {
      get("/hello", "X-Forwarded-For", "9.9.9." + i, "Forwarded", "for=9.9.9." + i);
    }
    assertThat(get("/hello", "X-Forwarded-For", "9.9.9.9").statusCode()).isEqualTo(429);
  }

  @Test
  void noSpellingOfAPathSlipsPastItsRule() throws Exception {
    sluice.limiter("none", Limit.slidingLog(1, HOUR));
    Filter strict =
        RateLimitFilter.of(
            sluice,
            LimitRules.parse(
                List.of(Map.of("path", "/hello", "policy", "none", "key", "everyone")),
                ClientAddress.ofPeer()));
    start(strict, REQUEST, true);
    assertThat(get("/hello").statusCode()).isEqualTo(200);
    for (String spelling :
        List.of(
            "/app/hello",
            "/app//hello",
            "//app/hello",
            "/app/hello;x=1",
            "/app;x=1/hello",
            "/app/%68ello",
            "/%61pp/hello",
            "/app/./hello",
            "/app/x/../hello",
            "/app/%2e/hello",
            "/app/x/%2e%2e/hello",
            "/x/../app/hello",
            "/app/../app/hello",
            "/app/x/../../app/hello",
            "/apps/../app/hello",
            "/app%2fhello",
            "/app\\hello",
            "/app/hello?a=/b",
            "http://127.0.0.1/app/hello")) {
      // 429, or the container itself refuses (400) or finds nothing there (404): never the servlet.
      assertThat(statusOf(spelling)).as(spelling).isIn(429, 400, 404);
    }
    assertThat(servlets.calls()).isEqualTo(1);
  }

  /**
   * The context path is spelt otherwise here, so that the filter sees what the container decoded.
   */
  @Test
  void noNameSlipsPastItsRuleBecauseItIsDecodedTwice() throws Exception {
    sluice.limiter("none", Limit.slidingLog(1, HOUR)).tryAcquire("all");
    Filter strict =
        RateLimitFilter.of(
            sluice,
            LimitRules.parse(
                List.of(Map.of("path", "/files/{name}", "policy", "none", "key", "everyone")),
                ClientAddress.ofPeer()));
    start(strict, REQUEST, true);
    for (String name : List.of("x", "%3Bx", "%253B", "%252Fx", "%255Cx", "%252e", "%25%32%65")) {
      assertThat(statusOf("/app/files/" + name)).as(name).isIn(429, 400);
      assertThat(statusOf("/%61pp/files/" + name)).as(name).isIn(429, 400);
    }
    assertThat(servlets.calls()).isZero();
  }

  private int statusOf(String rawPath) throws IOException {
    try (Socket socket = send(rawPath)) {
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return Integer.parseInt(answer.split(" ", 3)[1]);
    }
  }

  private Socket send(String rawPath) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    OutputStream out = socket.getOutputStream();
    String head = "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    out.write(head.formatted(rawPath).getBytes(StandardCharsets.UTF_8));
    out.flush();
    return socket;
  }

  @Test
  void aStoreThatFailsUnderDenyIsReducedCapacity() throws Exception {
    try (Sluice broken = Sluice.of(new BrokenStore())) {
      broken.limiter(
          Policy.named("strict")
              .limits(List.of(Limit.parse("1/h")))
              .onStoreFailure(OnStoreFailure.DENY)
              .build());
      start(
          RateLimitFilter.of(
              broken,
              LimitRules.parse(
                  List.of(Map.of("path", "/**", "policy", "strict")), ClientAddress.ofPeer())),
          REQUEST,
          true);
      HttpResponse<String> refused = get("/hello");
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("#temporary-reduced-capacity");
      assertThat(header(refused, "RateLimit")).isEmpty();
      assertThat(servlets.calls()).isZero();
    }
  }

  @Test
  void aRequestIsChargedOnceHoweverOftenItIsDispatched() throws Exception {
    start();
    assertThat(header(get("/dispatching"), "X-RateLimit-Remaining")).isEqualTo("2");
    assertThat(header(get("/forwarding"), "X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(header(get("/error"), "X-RateLimit-Remaining")).isEqualTo("0");
    assertThat(get("/hello").statusCode()).isEqualTo(429);
  }

  @Test
  void permitsAreHeldUntilAnAsynchronousResponseEnds() throws Exception {
    start();
    CompletableFuture<HttpResponse<String>> held = getAsync("/jobs/held");
    await().until(() -> servlets.calls() == 1);
    assertThat(get("/jobs/quick").statusCode()).isEqualTo(429);
    servlets.finish();
    assertThat(held.join().statusCode()).isEqualTo(200);
    awaitFreePermit();
  }

  @Test
  void permitsAreReleasedWhicheverWayTheResponseEnds() throws Exception {
    start(filter(), REQUEST, true);
    for (String path :
        List.of(
            "/jobs/quick",
            "/jobs/throws",
            "/jobs/error",
            "/jobs/times-out",
            "/jobs/dispatching",
            "/jobs/dispatching-twice",
            "/jobs/completes-at-once")) {
      assertThat(get(path).statusCode()).as(path).isNotEqualTo(429);
      awaitFreePermit();
    }
  }

  @Test
  void permitsAreReleasedWhenTheClientLeaves() throws Exception {
    start();
    for (String path : List.of("/app/jobs/streams", "/app/jobs/streams-async")) {
      try (Socket socket = send(path)) {
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        assertThat(get("/jobs/quick").statusCode()).isEqualTo(429);
      }
      awaitFreePermit();
    }
  }

  private void awaitFreePermit() {
    await().until(() -> sluice.limiter("jobs").orElseThrow().peek("all").remaining() == 1);
  }

  @Test
  void requestsWaitTheirTurnWithoutAThread() throws Exception {
    AtomicInteger entered = new AtomicInteger();
    AtomicInteger inside = new AtomicInteger();
    Filter counting =
        (request, response, chain) -> {
          entered.incrementAndGet();
          inside.incrementAndGet();
          try {
            chain.doFilter(request, response);
          } finally {
            inside.decrementAndGet();
          }
        };
    container.filter("counting", counting, REQUEST, true);
    start();
    List<CompletableFuture<HttpResponse<String>>> sent = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      sent.add(getAsync("/queue"));
    }
    await().until(() -> entered.get() == 4 && inside.get() == 0);
    assertThat(servlets.calls()).isLessThan(4);
    assertThat(get("/queue").statusCode()).isEqualTo(429);
    for (CompletableFuture<HttpResponse<String>> response : sent) {
      assertThat(response.join().statusCode()).isEqualTo(200);
      assertThat(response.join().body()).isEqualTo("done");
      assertThat(header(response.join(), "X-RateLimit-Limit")).isEqualTo("4");
    }
    assertThat(servlets.calls()).isEqualTo(4);
  }

  @Test
  void requestsWaitTheirTurnOnTheirThreadWhereTheyMust() throws Exception {
    start(filter(), REQUEST, false);
    List<CompletableFuture<HttpResponse<String>>> sent =
        List.of(getAsync("/queue"), getAsync("/queue"));
    assertThat(sent).allSatisfy(r -> assertThat(r.join().statusCode()).isEqualTo(200));
    assertThat(servlets.calls()).isEqualTo(2);
  }

  @Test
  void headersMayBeOthersOrNone() throws Exception {
    start(filter().headers(RateLimitHeaders.of(Dialect.IETF_07)), REQUEST, true);
    HttpResponse<String> response = get("/hello");
    assertThat(header(response, "RateLimit")).isEqualTo("limit=3, remaining=2, reset=3600");
    assertThat(header(response, "X-RateLimit-Limit")).isEmpty();
  }

  @Test
  void ofTwelveHundredRequestsExactlyAThousandPass() throws Exception {
    start();
    if (ApacheBench.isThere()) {
      ApacheBench.exactlyAThousandPass(uri("/big"), "sliding-log");
      assertThat(servlets.calls()).isEqualTo(1_000);
    }
  }

  private static final class BrokenStore implements Store {
    @Override
    public Decision decide(Request request) {
      throw new StoreUnavailableException("test", "out of reach", null);
    }

    @Override
    public List<Decision> decideTogether(List<Request> requests) {
      throw new StoreUnavailableException("test", "out of reach", null);
    }

    @Override
    public void close() {}
  }
}
