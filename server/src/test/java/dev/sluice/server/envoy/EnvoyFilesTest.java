package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.OnStoreFailure;
import dev.sluice.server.config.PolicyFileException;
import dev.sluice.server.config.Rules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvoyFilesTest {
  @TempDir Path directory;

  private EnvoyConfig load(List<Boolean> reloads) {
    return new EnvoyConfig(
        new EnvoyOptions(directory, OnStoreFailure.DENY, Duration.ofMillis(20)), reloads::add);
  }

  private void write(String name, String text) {
    try {
      Files.writeString(directory.resolve(name), text);
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  private void refused(String text, String... problems) {
    write("a.yaml", text);
    assertThatThrownBy(() -> load(new ArrayList<>()))
        .isInstanceOf(PolicyFileException.class)
        .satisfies(
            wrong ->
                assertThat(wrong.getMessage().replace(directory + "/", "").lines())
                    .containsExactly(problems));
  }

  @Test
  void everyProblemIsToldWithItsLine() {
    refused(
        """
        domain: d
        descriptors:
          - key: a
            rate_limits: {}
          - key: a
          - value: v
          - key: b
            rate_limit: {unit: fortnight, requests_per_unit: -1}
            descriptors:
              - key: c
                value: x
                rate_limit: {unlimited: true, unit: day}
          - key: e
            rate_limit: {requests_per_unit: 1}
          - key: f
            rate_limit: {unit: day, requests_per_unit: 1, algorithm: concurrency}
          - key: g
            rate_limit: {unit: day, requests_per_unit: 1, burst: 3}
          - key: h
            rate_limit: {unit: day}
          - key: i
            rate_limit: {unlimited: true}
        """,
        "a.yaml:4: domain 'd': unknown key 'rate_limits', expected one of descriptors,"
            + " detailed_metric, key, metadata, quota_mode, rate_limit, shadow_mode,"
            + " share_threshold, value, value_to_metric",
        "a.yaml:5: domain 'd', descriptor 'a': is there twice",
        "a.yaml:6: domain 'd': a descriptor must have a key that is not empty",
        "a.yaml:8: domain 'd', descriptor 'b': requests_per_unit must be from 0 to 4294967295,"
            + " got -1",
        "a.yaml:8: domain 'd', descriptor 'b': unit must be second, minute, hour, day, week,"
            + " month or year, got 'fortnight'",
        "a.yaml:12: domain 'd', descriptor 'b.c_x': unlimited must have neither unit nor per",
        "a.yaml:14: domain 'd', descriptor 'e': must have either unit or per",
        "a.yaml:16: domain 'd', descriptor 'f': algorithm must not be concurrency: Envoy never"
            + " says that a request has ended",
        "a.yaml:18: domain 'd', descriptor 'g': limit 'fixed-window': burst is for token-bucket,"
            + " not for fixed-window",
        "a.yaml:20: domain 'd', descriptor 'h': must have requests_per_unit; 0 denies always");
  }

  @Test
  void fileNeedsADomain() {
    refused("descriptors: []", "a.yaml:1: domain must not be empty");
    refused("- a", "a.yaml:1: must have the key 'domain'");
    refused("domain: d\ndomain: e\n", "a.yaml:2: key 'domain' is there twice, first in line 1");
  }

  @Test
  void domainIsInOneFileOnly() {
    write("b.yml", "domain: d\n");
    write("a.yaml", "domain: d\n");
    write("notes.txt", "not: [yaml");
    assertThatThrownBy(() -> load(new ArrayList<>()))
        .hasMessage(directory.resolve("b.yml") + ":1: domain 'd': is there twice");
  }

  @Test
  void directoryWithoutRulesIsRefused() {
    assertThatThrownBy(() -> load(new ArrayList<>()))
        .hasMessage(directory + ": no .yaml or .yml file in it");
  }

  @Test
  void changedFilesAreLoadedAndWrongOnesChangeNothing() {
    List<Boolean> reloads = new ArrayList<>();
    write("a.yaml", "domain: one\n");
    EnvoyConfig config = load(reloads);
    config.refresh();
    assertThat(reloads).isEmpty();

    write("b.yaml", "domain: two\n");
    config.refresh();
    assertThat(config.rules().size()).as("a file may still be being written").isEqualTo(1);
    config.refresh();
    assertThat(config.rules().size()).isEqualTo(2);

    write("c.yaml", "domain: [\n");
    config.refresh();
    config.refresh();
    config.refresh();
    assertThat(config.rules().size()).isEqualTo(2);
    assertThat(reloads).containsExactly(true, false);
    assertThat(config.refused().orElseThrow().problems()).hasSize(1);

    write("c.yaml", "domain: three\n");
    config.refresh();
    config.refresh();
    assertThat(config.rules().size()).isEqualTo(3);
    assertThat(reloads).containsExactly(true, false, true);
    assertThat(config.refused()).isEmpty();
  }

  @Test
  void wrongFilesThatAreTakenBackAreNotRefusedAnyMore() throws IOException {
    List<Boolean> reloads = new ArrayList<>();
    write("a.yaml", "domain: one\n");
    EnvoyConfig config = load(reloads);
    write("b.yaml", "domain: [\n");
    config.refresh();
    config.refresh();
    assertThat(config.refused()).isPresent();
    Files.delete(directory.resolve("b.yaml"));
    config.refresh();
    config.refresh();
    assertThat(config.refused()).isEmpty();
    assertThat(reloads).containsExactly(false, true);
  }

  @Test
  void wrongFilesAreReadAgainOnlyWhenTheyHaveChanged() throws IOException {
    EnvoyOptions options = new EnvoyOptions(directory, OnStoreFailure.DENY, Duration.ofMillis(20));
    List<Boolean> reloads = new ArrayList<>();
    AtomicInteger reads = new AtomicInteger();
    write("a.yaml", "domain: one\n");
    EnvoyConfig config =
        new EnvoyConfig(
            directory,
            files -> {
              reads.incrementAndGet();
              return EnvoyFiles.parse(files, new Limits(options));
            },
            reloads::add);
    write("b.yaml", "domain: [\n");
    for (int i = 0; i < 5; i++) {
      config.refresh();
    }
    assertThat(reads).as("at the start, and once it stood still").hasValue(2);
    Rules.Failure refused = config.refused().orElseThrow();

    // Wrong in the same way: the same is told, and not again.
    write("a.yaml", "domain: other\n");
    for (int i = 0; i < 5; i++) {
      config.refresh();
    }
    assertThat(reads).hasValue(3);
    assertThat(config.refused()).containsSame(refused);

    // Out of sight and back again: its problems are told instead of its absence.
    Path aside = directory.resolve("aside.txt");
    Files.move(directory.resolve("b.yaml"), aside);
    Files.createDirectory(directory.resolve("b.yaml"));
    config.refresh();
    assertThat(config.refused().orElseThrow().problems()).isNotEqualTo(refused.problems());
    Files.delete(directory.resolve("b.yaml"));
    Files.move(aside, directory.resolve("b.yaml"));
    for (int i = 0; i < 5; i++) {
      config.refresh();
    }
    assertThat(config.refused().orElseThrow().problems()).isEqualTo(refused.problems());
    assertThat(reads).hasValue(4);
    assertThat(reloads).containsExactly(false, false, false);
  }
}
