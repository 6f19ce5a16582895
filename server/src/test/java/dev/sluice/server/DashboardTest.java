package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.server.http.Caller;
import dev.sluice.server.http.Doc;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser; its pictures are kept in target/screenshots. */
class DashboardTest {
  private static final String HOSTILE = "<img src=x onerror=document.title='broken'>";
  private static final String RULES =
      """
      policies:
        api:
          limits:
            - {name: burst, algorithm: token-bucket, permits: 10, per: 1h, burst: 20}
            - {name: daily, algorithm: sliding-window, permits: 1000, per: 1d, precision: 1h}
        login: {limits: [{name: guesses, algorithm: sliding-log, permits: 5, per: 1h}]}
        "');<b>": {limits: [100/s], shadow: true}
      """;

  @TempDir Path temp;

  private void browse(Caller server, Script script) throws IOException {
    Optional<Browser> found = Browser.start(temp);
    if (found.isEmpty()) {
      return;
    }
    try (Browser browser = found.get()) {
      browser.open("http://127.0.0.1:" + server.port() + "/");
      script.run(browser);
      assertThat(browser.console()).as("errors and violations of the page's policy").isEmpty();
    }
  }

  private interface Script {
    void run(Browser browser) throws IOException;
  }

  private static void awaitText(Browser browser, String css, String text) {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(browser.text(css)).contains(text));
  }

  private static void check(Caller server, String policy, String key, long cost) {
    server.post("/v1/check", Doc.text(Map.of("policy", policy, "key", key, "cost", cost)));
  }

  /** Something for the picture to show. */
  private static void traffic(Caller server) {
    for (int i = 0; i < 30; i++) {
      check(server, "api", "ip:198.51.100." + i % 7, 1);
      check(server, "login", "user:" + i % 3, 1);
    }
  }

  @Test
  void showsWhoIsLimitedAsTextOnly() throws IOException {
    try (Caller server = Caller.with(temp, RULES)) {
      for (String key : List.of(HOSTILE, "user:42", "\u202Egnp.exe", "ip:203.0.113.7", HOSTILE)) {
        for (int i = 0; i < 8; i++) {
          check(server, "login", key, 1);
        }
      }
      browse(
          server,
          browser -> {
            awaitText(browser, "#top", HOSTILE);
            assertThat(browser.text("#top tr:first-child")).contains("login").contains("11");
            assertThat(browser.text("#rules")).contains("');<b>").contains("guesses");
            assertThat(browser.text("#health")).contains("ready").contains("memory");
            assertThat(browser.eval("document.title")).isEqualTo("Sluice");
            assertThat(browser.eval("document.querySelectorAll('img').length").toString())
                .isEqualTo("0");
            await()
                .atMost(Duration.ofSeconds(30))
                .until(
                    () -> {
                      traffic(server);
                      return Integer.parseInt(browser.eval("history.length").toString()) > 6;
                    });
            assertThat(browser.text("#rates")).contains("allowed").contains("denied");
            browser.picture("dashboard-light");
            Object light = browser.eval("getComputedStyle(document.body).backgroundColor");
            browser.colours("dark");
            await()
                .untilAsserted(
                    () ->
                        assertThat(browser.eval("getComputedStyle(document.body).backgroundColor"))
                            .isNotEqualTo(light));
            browser.picture("dashboard-dark");
          });
    }
  }

  @Test
  void formExplainsADecisionAndTellsTheSameAsACommand() throws IOException {
    try (Caller server = Caller.with(temp, RULES)) {
      browse(
          server,
          browser -> {
            awaitText(browser, "#try-policy", "login");
            browser.eval("document.querySelector('#try-policy').value = 'login'");
            browser.fill("#try-key", "it's <b>me</b>");
            browser.fill("#try-cost", "4");
            browser.click("#try button");
            awaitText(browser, "#answer", "“it's <b>me</b>” may pass: 1 of 5 left in guesses");

            browser.click("#try button");
            awaitText(browser, "#answer", "“it's <b>me</b>” is denied by guesses: 1 of 5 left");
            assertThat(browser.text("#answer")).contains("the same request passes in");
            browser.picture("dashboard-denied");

            browser.fill("#try-cost", "6");
            browser.click("#try button");
            awaitText(browser, "#answer", "“it's <b>me</b>” can never pass");

            browser.fill("#try-cost", "1");
            browser.click("#try button");
            awaitText(browser, "#answer", "0 of 5 left in guesses");
            String curl = browser.text("#curl");
            Programs.find("curl")
                .ifPresent(
                    found ->
                        assertThat(Programs.run("sh", "-c", curl.replace("curl ", "curl -s ")))
                            .contains("\"allowed\":false")
                            .contains("\"key\":\"it's <b>me</b>\""));
          });
    }
  }

  @Test
  void warnsOfLimitsThatAreNearlyUsedUp() throws IOException {
    try (Caller server = Caller.with(temp, RULES)) {
      browse(
          server,
          browser -> {
            awaitText(browser, "#rules", "api");
            check(server, "api", "busy", 19);
            check(server, "login", "busy", 5);
            awaitText(browser, "#warnings", "Policy api: some keys had less than a tenth");
            awaitText(browser, "#warnings", "Policy login: some keys had less than a tenth");
          });
    }
  }

  @Test
  void tellsWhatHappensWithoutTheStore() throws IOException {
    Path file = temp.resolve("policies.yml");
    Caller.write(file, RULES + "  strict: {limits: [5/s], on-store-failure: deny}\n");
    ServerOptions away = new ServerOptions().config(file).store("redis://127.0.0.1:1");
    try (Caller server = Caller.of(away)) {
      browse(
          server,
          browser -> {
            awaitText(browser, "#warnings", "The store redis://127.0.0.1:1 is out of reach");
            for (String policy : List.of("api", "api", "strict")) {
              check(server, policy, "user:42", 1);
            }
            // Allowed, denied, degraded.
            awaitText(browser, "#rules tr:nth-child(1)", "allow 0 0 2");
            awaitText(browser, "#rules tr:nth-child(4)", "deny 0 0 1");
            assertThat(browser.text("#health")).startsWith("degraded");
            browser.picture("dashboard-degraded");
          });
    }
  }

  @Test
  void narrowPageNeedsNoScrollingSideways() throws IOException {
    try (Caller server =
        Caller.with(temp, RULES + "  " + "long".repeat(30) + ": {limits: [5/s]}\n")) {
      for (int i = 0; i < 8; i++) {
        check(server, "login", "x".repeat(180), 1);
      }
      browse(
          server,
          browser -> {
            browser.size(400, 3000);
            awaitText(browser, "#top", "xxx");
            assertThat(browser.eval("document.documentElement.scrollWidth").toString())
                .isEqualTo("400");
            browser.picture("dashboard-narrow");
          });
    }
  }

  @Test
  void refusedFileIsVisible() throws IOException {
    try (Caller server = Caller.with(temp, RULES)) {
      browse(
          server,
          browser -> {
            awaitText(browser, "#rules", "api");
            Caller.write(temp.resolve("policies.yml"), RULES + "  broken: {limits: [10/x]}\n");
            awaitText(
                browser, "#warnings", "policies.yml:8: policy 'broken': limit must look like");
            assertThat(browser.text("#rules")).contains("api").doesNotContain("broken");
            browser.picture("dashboard-refused");
          });
    }
  }

  @Test
  void everythingIsWithinReachOfTheKeyboard() throws IOException {
    try (Caller server = Caller.with(temp, RULES)) {
      browse(
          server,
          browser -> {
            awaitText(browser, "#try-policy", "login");
            browser.press(Browser.TAB);
            assertThat(browser.eval("document.activeElement.textContent"))
                .isEqualTo("Skip to content");
            for (String id :
                List.of("plot-policy", "try-policy", "try-key", "try-cost", "try-mode")) {
              browser.press(Browser.TAB);
              assertThat(browser.eval("document.activeElement.id")).isEqualTo(id);
              assertThat(browser.eval("getComputedStyle(document.activeElement).outlineStyle"))
                  .as("%s shows that it has the focus", id)
                  .isEqualTo("solid");
            }
            browser.press(Browser.TAB + Browser.ENTER);
            awaitText(browser, "#answer", "“alice” may pass");
          });
    }
  }

  @Test
  void asksForTheTokenWhereOthersCanReachIt() throws IOException {
    ServerOptions open = new ServerOptions().bind("0.0.0.0").adminToken(Caller.TOKEN);
    try (Caller server = Caller.of(open)) {
      browse(
          server,
          browser -> {
            awaitText(browser, "#health", "locked");
            browser.fill("#token", "guess");
            browser.click("#login button");
            awaitText(browser, "#login-problem", "admin calls need Authorization: Bearer TOKEN");
            browser.fill("#token", Caller.TOKEN);
            browser.click("#login button");
            awaitText(browser, "#health", "ready");
            assertThat(browser.text("#rules")).contains("demo");
          });
    }
  }

  @Test
  void pageForbidsEverythingFromElsewhere() {
    try (Caller server = Caller.of(new ServerOptions())) {
      HttpResponse<String> page = server.get("/");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.headers().firstValue("content-security-policy"))
          .hasValue(
              "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                  + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
      assertThat(page.body()).doesNotContain("style=").doesNotContain("onclick");
      for (String asset : List.of("dashboard.js", "icon.svg", "uPlot.iife.min.js")) {
        assertThat(server.get("/assets/" + asset).statusCode()).as(asset).isEqualTo(200);
      }
      assertThat(server.get("/assets/index.html").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void isNotThereForOthersWithoutAToken() {
    try (Caller server = Caller.of(new ServerOptions().bind("0.0.0.0"))) {
      assertThat(server.get("/").statusCode()).isEqualTo(404);
      assertThat(server.get("/v1/live").statusCode()).isEqualTo(404);
    }
    try (Caller server = Caller.of(new ServerOptions().bind("0.0.0.0").adminToken("secret"))) {
      assertThat(server.get("/").statusCode()).isEqualTo(200);
      assertThat(server.get("/v1/live").statusCode()).isEqualTo(401);
    }
  }
}
