package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.testkit.HelloApp;
import dev.sluice.spring.testkit.RunningApp;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;

/** What the rules of properties do to requests, whichever server answers them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EdgeTest {
  private final WebApplicationType type;
  private RunningApp app;

  EdgeTest(WebApplicationType type) {
    this.type = type;
  }

  @BeforeAll
  void start() {
    app =
        RunningApp.start(
            type,
            HelloApp.class,
            "sluice.policies.api.limits[0]=2/h",
            "sluice.policies.user.limits[0]=2/h",
            "sluice.policies.address.limits[0]=3/h",
            "sluice.policies.paced.limits[0].algorithm=leaky-bucket",
            "sluice.policies.paced.limits[0].permits=5",
            "sluice.policies.paced.limits[0].per=1s",
            "sluice.policies.paced.limits[0].queue=1",
            "sluice.policies.held.limits[0].algorithm=concurrency",
            "sluice.policies.held.limits[0].permits=1",
            "sluice.policies.held.limits[0].lease=1h",
            "sluice.policies.watched.limits[0]=1/h",
            "sluice.policies.watched.shadow=true",
            "sluice.policies.plans.limits[0]=1/h",
            "sluice.policies.plans.keys[header:x-plan:pro].unlimited=true",
            "sluice.policies.plans.keys[header:x-plan:blocked].deny=true",
            "sluice.address.trusted-proxies[0]=127.0.0.0/8",
            rule(0, "path=/free"),
            rule(0, "exempt=true"),
            rule(1, "path=/login"),
            rule(1, "methods=POST"),
            rule(1, "checks[0].policy=address"),
            rule(1, "checks[0].key=address"),
            rule(1, "checks[1].policy=user"),
            rule(1, "checks[1].key=header:X-User|email"),
            rule(1, "checks[1].cost=2"),
            rule(2, "path=/paced"),
            rule(2, "policy=paced"),
            rule(3, "path=/held"),
            rule(3, "policy=held"),
            rule(4, "path=/watched"),
            rule(4, "policy=watched"),
            rule(5, "path=/plans"),
            rule(5, "policy=plans"),
            rule(5, "key=header:X-Plan"),
            rule(6, "path=/api/**"),
            rule(6, "policy=api"));
  }

  private static String rule(int i, String property) {
    return "sluice.rules[%d].%s".formatted(i, property);
  }

  @AfterAll
  void stop() {
    app.close();
  }

  private static String header(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("absent");
  }

  @Test
  void requestsOverTheLimitAreAnswered429() {
    String[] client = {"X-Forwarded-For", "198.51.100.1"};
    HttpResponse<String> first = app.get("/api/x", client);
    assertThat(first.statusCode()).isEqualTo(200);
    assertThat(first.body()).isEqualTo("hello");
    assertThat(header(first, "RateLimit-Policy")).isEqualTo("\"token-bucket\";q=2;w=3600");
    assertThat(header(first, "RateLimit")).isEqualTo("\"token-bucket\";r=1;t=1800");
    assertThat(header(first, "X-RateLimit-Limit")).isEqualTo("2");
    assertThat(header(first, "X-RateLimit-Remaining")).isEqualTo("1");
    assertThat(header(first, "X-RateLimit-Reset")).isEqualTo("1800");
    assertThat(header(first, "Retry-After")).isEqualTo("absent");
    assertThat(app.get("/api/y", client).statusCode()).isEqualTo(200);

    HttpResponse<String> denied = app.get("/api/x", client);
    assertThat(denied.statusCode()).isEqualTo(429);
    assertThat(header(denied, "Content-Type")).isEqualTo("application/problem+json");
    assertThat(Integer.parseInt(header(denied, "Retry-After"))).isBetween(1700, 1800);
    assertThat(denied.body())
        .contains("#quota-exceeded", "\"violated-policies\":[\"token-bucket\"]")
        .doesNotContain("198.51.100.1");
    assertThat(app.send("HEAD", "/api/x", client).statusCode()).isEqualTo(429);
  }

  @Test
  void clientsBehindATrustedProxyHaveTheirOwnLimits() {
    for (int client = 10; client < 13; client++) {
      String address = "198.51.100." + client;
      assertThat(app.get("/api/x", "X-Forwarded-For", address).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void exemptAndUnknownPathsAreNotLimited() {
    for (String path : new String[] {"/free", "/elsewhere"}) {
      HttpResponse<String> response = app.get(path);
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(header(response, "RateLimit")).isEqualTo("absent");
    }
  }

  @Test
  void severalChecksAreDecidedTogether() {
    String[] alice = {"X-User", "Alice@example.com", "X-Forwarded-For", "198.51.100.20"};
    String[] again = {"X-User", "alice@EXAMPLE.com", "X-Forwarded-For", "198.51.100.20"};
    String[] bob = {"X-User", "bob@example.com", "X-Forwarded-For", "198.51.100.20"};
    assertThat(app.send("POST", "/login", alice).statusCode()).isEqualTo(405);
    assertThat(app.send("POST", "/login", again).statusCode()).isEqualTo(429);
    // The denied one has cost the address nothing: two of three are left.
    HttpResponse<String> other = app.send("POST", "/login", bob);
    assertThat(other.statusCode()).isEqualTo(405);
    assertThat(app.get("/login").statusCode()).isEqualTo(200);
  }

  @Test
  void aRequestWithoutItsKeyIsRefused() {
    HttpResponse<String> response = app.send("POST", "/login");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(header(response, "Content-Type")).isEqualTo("application/problem+json");
  }

  @Test
  void requestsOfALeakyBucketWaitTheirTurn() {
    long started = System.nanoTime();
    assertThat(app.get("/paced").statusCode()).isEqualTo(200);
    assertThat(app.get("/paced").statusCode()).isEqualTo(200);
    assertThat(app.get("/paced").statusCode()).isEqualTo(200);
    // Never closer than 200 ms apart: a lower bound, so a slow machine cannot break it.
    assertThat(System.nanoTime() - started).isGreaterThanOrEqualTo(399_000_000);
  }

  @Test
  void heldPermitsAreReleasedWhenTheResponseEnds() {
    for (int i = 0; i < 5; i++) {
      int round = i;
      org.awaitility.Awaitility.await("round " + round)
          .until(() -> app.get("/held").statusCode() == 200);
    }
  }

  @Test
  void aShadowPolicyOnlyCounts() {
    assertThat(app.get("/watched").statusCode()).isEqualTo(200);
    assertThat(app.get("/watched").statusCode()).isEqualTo(200);
  }

  @Test
  void keysHaveTheirPlans() {
    assertThat(app.get("/plans", "X-Plan", "free").statusCode()).isEqualTo(200);
    assertThat(app.get("/plans", "X-Plan", "free").statusCode()).isEqualTo(429);
    for (int i = 0; i < 3; i++) {
      HttpResponse<String> pro = app.get("/plans", "X-Plan", "pro");
      assertThat(pro.statusCode()).isEqualTo(200);
      assertThat(header(pro, "RateLimit")).isEqualTo("absent");
    }
    HttpResponse<String> blocked = app.get("/plans", "X-Plan", "blocked");
    assertThat(blocked.statusCode()).isEqualTo(429);
    assertThat(header(blocked, "Retry-After")).isEqualTo("absent");
  }
}
