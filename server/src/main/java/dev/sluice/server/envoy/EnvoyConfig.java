package dev.sluice.server.envoy;

import dev.sluice.server.config.PolicyFileException;
import dev.sluice.server.config.Rules;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules in force, read again whenever a file has changed. A set of files with a problem is
 * refused as a whole, and the old rules stay.
 */
final class EnvoyConfig {
  private static final Logger log = LoggerFactory.getLogger(EnvoyConfig.class);

  private final EnvoyOptions options;
  private final Consumer<Boolean> reloaded;
  private volatile EnvoyRules rules;
  private SortedMap<Path, byte[]> inForce;
  private SortedMap<Path, byte[]> seen;
  private volatile Optional<Rules.Failure> refused = Optional.empty();

  /**
   * Reads the rules for the first time.
   *
   * @param reloaded hears of every later attempt, and whether it succeeded
   * @throws PolicyFileException if there is a problem
   */
  EnvoyConfig(EnvoyOptions options, Consumer<Boolean> reloaded) {
    this.options = options;
    this.reloaded = reloaded;
    this.inForce = EnvoyFiles.bytes(options.config());
    this.seen = inForce;
    this.rules = EnvoyFiles.parse(inForce, new Limits(options));
  }

  EnvoyRules rules() {
    return rules;
  }

  /** Why newer files were refused; empty while files and rules agree. */
  Optional<Rules.Failure> refused() {
    return refused;
  }

  /** Looks at the files; those that are being written are left alone until they stand still. */
  synchronized void refresh() {
    SortedMap<Path, byte[]> found = new TreeMap<>();
    try {
      found = EnvoyFiles.bytes(options.config());
      boolean still = EnvoyFiles.same(found, seen);
      seen = found;
      // After a refusal also those in force: who takes his change back is told that all is well.
      if (!still || (EnvoyFiles.same(found, inForce) && refused.isEmpty())) {
        return;
      }
      rules = EnvoyFiles.parse(found, new Limits(options));
      inForce = found;
      refused = Optional.empty();
      log.info("{}: loaded, rules of {} domains in force", options.config(), rules.size());
      reloaded.accept(true);
    } catch (PolicyFileException wrong) {
      refuse(String.valueOf(wrong.getMessage()));
    }
  }

  private void refuse(String problem) {
    List<String> problems = problem.lines().toList();
    if (refused.map(known -> known.problems().equals(problems)).orElse(false)) {
      return;
    }
    refused = Optional.of(new Rules.Failure(Instant.now(), problems));
    log.error("Envoy's rules refused, the old rules stay:\n{}", problem);
    reloaded.accept(false);
  }
}
