package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.redis.testkit.RedisBinary;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What needs no server. */
class OfflineCommandsTest {
  @TempDir Path directory;

  private String file(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, text);
    return file.toString();
  }

  @Test
  void validateTellsEveryProblem() throws Exception {
    String good = file("good.yml", "policies: {a: {limits: [10/s]}}\n");
    String bad = file("bad.yml", "policies:\n  a: {limits: [0/s]}\n  b: {tier: x}\n");
    Cli.Result fine = Cli.run("validate", good);
    assertThat(fine.out()).isEqualTo(good + ": ok, 1 policy\n");
    assertThat(fine.status()).isZero();
    Cli.Result wrong = Cli.run("validate", bad, good);
    assertThat(wrong.out()).isEqualTo(good + ": ok, 1 policy\n");
    assertThat(wrong.err())
        .isEqualTo(
            """
            %1$s:2: policy 'a': limit 'token-bucket': permits must be from 1 to 1099511627776, got 0
            %1$s:3: policy 'b': limits is missing
            %1$s:3: policy 'b': tier must be exact or leased, got 'x'
            """
                .formatted(bad));
    assertThat(wrong.status()).isEqualTo(1);
    Cli.Result absent = Cli.run("validate", good + ".gone");
    assertThat(absent.err()).isEqualTo(good + ".gone: no such file\n");
    assertThat(absent.status()).isEqualTo(2);
  }

  @Test
  void numbersAreTheSameInEveryLocale() throws Exception {
    String good = file("good.yml", "policies: {a: {limits: [10/s]}}\n");
    Map<String, String> cairo = Map.of("JAVA_TOOL_OPTIONS", "-Duser.language=ar -Duser.country=EG");
    assertThat(Cli.run(cairo, "validate", good).out()).isEqualTo(good + ": ok, 1 policy\n");
  }

  @Test
  void benchWithoutRedisMeasuresMemoryAndSaysSo() throws Exception {
    Cli.Result result = Cli.run(Map.of("PATH", ""), "bench", "--quick");
    assertThat(result.out())
        .contains("memory, one key, one thread")
        .endsWith("redis: not measured: no --store, and no redis-server on the PATH\n");
    assertThat(result.status()).isZero();
  }

  @Test
  void benchEndsItsRedisWhenItIsEnded() throws Exception {
    Files.createSymbolicLink(directory.resolve("redis-server"), RedisBinary.bundled().path());
    try (Cli bench = Cli.start(Map.of("PATH", directory.toString()), "bench")) {
      await().atMost(Duration.ofSeconds(60)).until(() -> !bench.children().isEmpty());
      ProcessHandle redis = bench.children().get(0);
      bench.terminate();
      bench.await();
      await().atMost(Duration.ofSeconds(30)).until(() -> !redis.isAlive());
    }
  }

  @Test
  void benchDoesNotTakeTheStoreOfServers() throws Exception {
    Cli.Result result =
        Cli.run(Map.of("PATH", "", "SLUICE_STORE", "redis://127.0.0.1:1"), "bench", "--quick");
    assertThat(result.out())
        .endsWith("redis: not measured: no --store, and no redis-server on the PATH\n");
    assertThat(result.status()).isZero();
  }

  @Test
  void benchRefusesWhatIsNoSingleServer() throws Exception {
    Cli.Result result = Cli.run("bench", "--quick", "--store", "redis-cluster://127.0.0.1:1");
    assertThat(result.err())
        .isEqualTo(
            "sluice bench: store: must be redis:// or rediss://,"
                + " got redis-cluster://127.0.0.1:1\n");
    assertThat(result.status()).isEqualTo(2);
  }

  @Test
  void simulateReplaysEveryKindOfLogInItsOwnTime() throws Exception {
    String policies =
        file(
            "p.yml",
            "policies: {two: {limits: [{name: l, algorithm: sliding-log, permits: 2, per:"
                + " 1m}]}}\n");
    String access =
        file(
            "access.log",
            """
            10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 23
            10.0.0.1 - - [10/Oct/2026:13:55:37 +0000] "GET / HTTP/1.1" 200 23
            10.0.0.1 - - [10/Oct/2026:13:55:38 +0000] "GET / HTTP/1.1" 200 23
            10.0.0.2 - - [10/Oct/2026:13:55:38 +0000] "GET / HTTP/1.1" 200 23
            10.0.0.1 - - [10/Oct/2026:13:56:36 +0000] "GET / HTTP/1.1" 200 23
            """);
    String csv =
        file(
            "log.csv",
            """
            time,key,cost
            2026-10-10T13:55:36Z,"a, b",1
            1791640537,"a, b",2
            1791640600000,"a, b",2
            """);
    String json =
        file(
            "log.jsonl",
            """
            {"time":"2026-10-10T13:55:36.5Z","key":"k","policy":"two"}
            {"time":1791640537.25,"key":"k","cost":2}
            not json
            """);
    assertThat(Cli.run("simulate", "--config", policies, "--json", access).out())
        .isEqualTo(
            """
            {"policies":[{"policy":"two","requests":5,"admitted":4,"denied":1,"delayed":0,\
            "longestWaitMillis":0,"keys":2,"limitedKeys":1,"deniedBy":{"l":1},\
            "top":[{"key":"10.0.0.1","denied":1}]}],"skipped":0}
            """);
    assertThat(Cli.run("simulate", "--config", policies, csv).out())
        .isEqualTo(
            """
            policy 'two': 3 requests, 2 admitted, 1 denied (33.33 %); 1 of 1 keys limited
                     1  a, b
            """);
    Cli.Result lines = Cli.run("simulate", "--config", policies, "--json", json);
    assertThat(lines.out()).contains("\"requests\":2,\"admitted\":1,\"denied\":1,");
    assertThat(lines.out()).endsWith("\"skipped\":1}\n");
    assertThat(lines.err())
        .startsWith(
            "sluice simulate: "
                + json
                + ":3: skipped: must be one JSON object, got what is not JSON: ");
    assertThat(lines.status()).isZero();
  }

  @Test
  void aclIsOneCommandForRedis() throws Exception {
    Cli.Result acl = Cli.run("acl");
    assertThat(acl.out()).startsWith("ACL SETUSER sluice on ").endsWith("\n");
    assertThat(acl.status()).isZero();
  }

  @Test
  void helpListsTheCommandsAndCompletionIsAScript() throws Exception {
    Cli.Result help = Cli.run("--help");
    assertThat(help.out())
        .contains("serve ", "check ", "validate ", "simulate ", "top ", "bench ", "acl ")
        .contains("completion ");
    assertThat(help.status()).isZero();
    assertThat(Cli.run("completion").out()).contains("complete -F").contains("--store-deadline");
    assertThat(Cli.call("completion", "--help").out())
        .startsWith("Usage: sluice completion ")
        .contains("source <(sluice completion)")
        .doesNotContain("generate-completion");
  }

  @Test
  void environmentDoesNotAskForHelpOrTheVersion() {
    Map<String, String> environment = Map.of("SLUICE_VERSION", "1.2", "SLUICE_HELP", "true");
    Cli.Result acl = Cli.call(environment, "acl");
    assertThat(acl.err()).isEmpty();
    assertThat(acl.out()).startsWith("ACL SETUSER sluice on ");
    assertThat(acl.status()).isZero();
  }

  @Test
  void lostOutputIsAnErrorUnlessTheReaderHadEnough() {
    assertThat(toBroken("No space left on device"))
        .isEqualTo(
            new Cli.Result(
                2, "", "sluice: the output cannot be written: No space left on device\n"));
    assertThat(toBroken("Broken pipe")).isEqualTo(new Cli.Result(0, "", ""));
  }

  private static Cli.Result toBroken(String why) {
    OutputStream broken =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException(why);
          }
        };
    StringWriter err = new StringWriter();
    int status = SluiceCommand.run(Map.of(), broken, new PrintWriter(err), "acl");
    return new Cli.Result(status, "", err.toString());
  }

  @Test
  void keysDoNotTalkToTheTerminal() {
    assertThat(TopCommand.printable("a\u001b[2J\u202E<b>\uD83D\uDE00"))
        .isEqualTo("a\\u{1b}[2J\\u{202e}<b>\uD83D\uDE00");
  }
}
