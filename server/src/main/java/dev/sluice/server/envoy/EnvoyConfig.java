package dev.sluice.server.envoy;

import dev.sluice.server.config.PolicyFileException;
import java.nio.file.Path;
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
  private String refused = "";

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

  /** Looks at the files; those that are being written are left alone until they stand still. */
  synchronized void refresh() {
    SortedMap<Path, byte[]> found = new TreeMap<>();
    try {
      found = EnvoyFiles.bytes(options.config());
      boolean still = EnvoyFiles.same(found, seen);
      seen = found;
      if (!still || EnvoyFiles.same(found, inForce)) {
        return;
      }
      rules = EnvoyFiles.parse(found, new Limits(options));
      inForce = found;
      refused = "";
      log.info("{}: loaded, rules of {} domains in force", options.config(), rules.size());
      reloaded.accept(true);
    } catch (PolicyFileException wrong) {
      String problem = String.valueOf(wrong.getMessage());
      if (!problem.equals(refused)) {
        refused = problem;
        log.error("Envoy's rules refused, the old rules stay:\n{}", problem);
        reloaded.accept(false);
      }
    }
  }
}
