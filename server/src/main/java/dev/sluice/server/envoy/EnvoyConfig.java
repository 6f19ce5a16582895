package dev.sluice.server.envoy;

import dev.sluice.server.config.PolicyFileException;
import dev.sluice.server.config.Rules;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules in force, read again whenever a file has changed. A set of files with a problem is
 * refused as a whole, and the old rules stay.
 */
final class EnvoyConfig {
  private static final Logger log = LoggerFactory.getLogger(EnvoyConfig.class);

  private final Path config;
  private final Reader reader;
  private final Consumer<Boolean> reloaded;
  private volatile EnvoyRules rules;
  private SortedMap<Path, byte[]> inForce;
  private SortedMap<Path, byte[]> seen;
  // Empty where those last seen were not refused for what is in them.
  private SortedMap<Path, byte[]> wrong = Collections.emptySortedMap();
  private volatile Optional<Rules.Failure> refused = Optional.empty();

  /** Makes rules of the bytes of all files. */
  @FunctionalInterface
  interface Reader {
    EnvoyRules read(SortedMap<Path, byte[]> files);
  }

  EnvoyConfig(EnvoyOptions options, Consumer<Boolean> reloaded) {
    this(options.config(), files -> EnvoyFiles.parse(files, new Limits(options)), reloaded);
  }

  /**
   * Reads the rules for the first time.
   *
   * @param reloaded hears of every later attempt, and whether it succeeded
   * @throws PolicyFileException if there is a problem
   */
  EnvoyConfig(Path config, Reader reader, Consumer<Boolean> reloaded) {
    this.config = config;
    this.reader = reader;
    this.reloaded = reloaded;
    this.inForce = EnvoyFiles.bytes(config);
    this.seen = inForce;
    this.rules = reader.read(inForce);
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
    SortedMap<Path, byte[]> found;
    try {
      found = EnvoyFiles.bytes(config);
    } catch (PolicyFileException unreadable) {
      wrong = Collections.emptySortedMap();
      refuse(unreadable);
      return;
    }
    boolean still = EnvoyFiles.same(found, seen);
    seen = found;
    // After a refusal also those in force: who takes his change back is told that all is well.
    boolean agreed = EnvoyFiles.same(found, inForce) && refused.isEmpty();
    if (still && !agreed && !EnvoyFiles.same(found, wrong)) {
      load(found);
    }
  }

  private void load(SortedMap<Path, byte[]> found) {
    try {
      rules = reader.read(found);
      inForce = found;
      wrong = Collections.emptySortedMap();
      refused = Optional.empty();
      log.info("{}: loaded, rules of {} domains in force", config, rules.size());
      reloaded.accept(true);
    } catch (PolicyFileException problem) {
      wrong = found;
      refuse(problem);
    }
  }

  private void refuse(PolicyFileException problem) {
    List<String> problems = String.valueOf(problem.getMessage()).lines().toList();
    if (refused.map(known -> known.problems().equals(problems)).orElse(false)) {
      return;
    }
    refused = Optional.of(new Rules.Failure(Instant.now(), problems));
    log.error("Envoy's rules refused, the old rules stay:\n{}", problem.getMessage());
    reloaded.accept(false);
  }
}
