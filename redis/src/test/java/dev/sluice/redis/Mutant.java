package dev.sluice.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One small mistake in one script.
 *
 * @param file the script's name without ending
 * @param find a line of it, without its indentation, that occurs once
 * @param replace what stands there instead; empty for a line that is missing
 */
record Mutant(String file, String find, String replace) {
  Mutant {
    String line = find;
    long places = Scripts.read(file).lines().filter(any -> any.strip().equals(line)).count();
    if (places != 1) {
      throw new IllegalArgumentException(
          "mutant '%s': must occur once in %s.lua, got %d".formatted(find, file, places));
    }
  }

  /** The mistakes of mutants.tsv: a file, what stands there and what would be wrong, by tabs. */
  static List<Mutant> all() {
    try (InputStream in = Mutant.class.getResourceAsStream("mutants.tsv")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("\t", -1))
          .map(parts -> new Mutant(parts[0], parts[1], parts[2]))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The script with the mistake; scripts without this file stay as they are. */
  String applyTo(String source) {
    String text = Scripts.read(file);
    return source.replace(Scripts.withParts(text), Scripts.withParts(mutated(text)));
  }

  private String mutated(String text) {
    StringBuilder mutated = new StringBuilder();
    for (String line : text.lines().toList()) {
      mutated.append(line.strip().equals(find) ? replace : line).append('\n');
    }
    return mutated.toString();
  }

  @Override
  public String toString() {
    return file + ": " + find + " => " + (replace.isEmpty() ? "(nothing)" : replace);
  }
}
