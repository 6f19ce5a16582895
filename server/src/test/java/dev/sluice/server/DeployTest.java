package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.server.config.PolicyFile;
import dev.sluice.server.http.Caller;
import dev.sluice.server.http.Doc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What {@code deploy/} and the operators' page say, compared with a server that runs. */
class DeployTest {
  private static final Path DEPLOY = Path.of("..", "deploy");
  private static final Path OPERATIONS = Path.of("..", "docs", "operations.md");
  private static final Pattern NAME = Pattern.compile("\\bsluice_[a-z_]+");
  private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (sluice_\\S+) ");

  @TempDir static Path directory;
  private static Set<String> metrics;
  private static Set<String> labels;

  @BeforeAll
  static void collect() throws Exception {
    RedisServer redis = RedisServer.on(RedisBinary.bundled()).start();
    Path leased = directory.resolve("leased.yml");
    Caller.write(leased, "policies:\n  demo: {limits: [1000/s], tier: leased}\n");
    try (Caller memory = Caller.of(new ServerOptions());
        Caller shared = Caller.of(new ServerOptions().store(redis.uri()).config(leased))) {
      memory.get("/v1/check/demo/k");
      redis.stop();
      shared.get("/v1/check/demo/k");
      String text = memory.get("/metrics").body() + shared.get("/metrics").body();
      metrics = names(TYPE.matcher(text), 1);
      labels = names(Pattern.compile("[{,]([a-z_]+)=").matcher(text), 1);
    } finally {
      redis.close();
    }
  }

  @AfterAll
  static void show() {
    System.out.println("metrics: " + metrics);
  }

  private static Set<String> names(Matcher matcher, int group) {
    return matcher
        .results()
        .map(m -> m.group(group))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"grafana.json", "prometheus-alerts.yml"})
  void queriesUseMetricsThatExist(String file) throws IOException {
    String text = Files.readString(DEPLOY.resolve(file));
    Set<String> asked =
        names(NAME.matcher(text.replaceAll("(_seconds)_(bucket|count|sum)", "$1")), 0);
    assertThat(asked).hasSizeGreaterThan(6);
    assertThat(metrics).containsAll(asked);
    Set<String> by = names(Pattern.compile("by \\(([a-z]+)").matcher(text), 1);
    by.remove("instance");
    assertThat(labels).containsAll(by);
  }

  @Test
  void pageNamesEveryMetricAndNoOther() throws IOException {
    Set<String> told =
        Files.readAllLines(OPERATIONS).stream()
            .filter(line -> line.startsWith("| `sluice_"))
            .flatMap(line -> names(NAME.matcher(line.split("\\|", -1)[1]), 0).stream())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(told).isEqualTo(metrics);
  }

  @Test
  void rulesAreGood() throws IOException {
    assertThat(policies(DEPLOY.resolve("policies.yml"))).isEqualTo(3);
    Map<?, ?> configMap = (Map<?, ?>) yaml("kubernetes.yml").get(0);
    Path file = directory.resolve("policies.yml");
    Caller.write(file, (String) ((Map<?, ?>) configMap.get("data")).get("policies.yml"));
    assertThat(policies(file)).isEqualTo(1);
  }

  private static int policies(Path file) {
    return PolicyFile.read(file).policies().size();
  }

  @Test
  void filesAreWellFormed() throws IOException {
    assertThat(yaml("compose.yml")).hasSize(1);
    assertThat(yaml("kubernetes.yml")).hasSize(4);
    assertThat(yaml("prometheus-alerts.yml")).hasSize(1);
    assertThat(Doc.of(Files.readString(DEPLOY.resolve("grafana.json")))).isInstanceOf(Map.class);
  }

  private static List<Object> yaml(String file) throws IOException {
    Load load = new Load(LoadSettings.builder().build());
    List<Object> documents = new java.util.ArrayList<>();
    load.loadAllFromString(Files.readString(DEPLOY.resolve(file))).forEach(documents::add);
    return documents;
  }

  /** The delay, then twice the longest drain of {@code HttpFace}: connections, then requests. */
  @Test
  void podHasTimeToDrain() throws IOException {
    String text = Files.readString(DEPLOY.resolve("kubernetes.yml"));
    long grace = number(text, "terminationGracePeriodSeconds: (\\d+)");
    long delay = number(text, "SLUICE_DRAIN_DELAY, value: (\\d+)s");
    assertThat(grace).isGreaterThanOrEqualTo(delay + 2 * 10);
    assertThat(delay).isGreaterThan(2 * number(text, "readinessProbe: .*periodSeconds: (\\d+)"));
  }

  private static long number(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(found -> Long.valueOf(found.group(1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void unitIsGood() {
    Programs.find("systemd-analyze")
        .ifPresent(
            program ->
                assertThat(
                        Programs.run(
                            program, "verify", DEPLOY.resolve("sluice.service").toString()))
                    .doesNotContain("sluice.service:"));
  }
}
