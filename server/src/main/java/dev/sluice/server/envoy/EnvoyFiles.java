package dev.sluice.server.envoy;

import dev.sluice.server.config.ConfigNode;
import dev.sluice.server.config.Members;
import dev.sluice.server.config.PolicyFile;
import dev.sluice.server.config.PolicyFileException;
import dev.sluice.server.config.Problems;
import dev.sluice.server.config.YamlReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of rules: one, or all {@code .yaml} and {@code .yml} in a directory. */
final class EnvoyFiles {
  private static final Set<String> WORDS = Set.of("domain", "descriptors");

  private EnvoyFiles() {}

  /** The bytes of all files, in the order of their names. */
  static SortedMap<Path, byte[]> bytes(Path config) {
    SortedMap<Path, byte[]> files = new TreeMap<>();
    if (!Files.isDirectory(config)) {
      files.put(config, PolicyFile.bytes(config));
      return files;
    }
    try (Stream<Path> inside = Files.list(config)) {
      inside
          .filter(file -> file.getFileName().toString().matches("[^.].*\\.ya?ml"))
          .forEach(file -> files.put(file, PolicyFile.bytes(file)));
    } catch (IOException failed) {
      throw PolicyFileException.unreadable(config, String.valueOf(failed.getMessage()));
    }
    if (files.isEmpty()) {
      throw PolicyFileException.unreadable(config, "no .yaml or .yml file in it");
    }
    return files;
  }

  /**
   * Reads all files into one set of rules.
   *
   * @throws PolicyFileException if one of them is wrong: with every problem of the first such file
   */
  static EnvoyRules parse(SortedMap<Path, byte[]> files, Limits limits) {
    Map<String, Node> domains = new HashMap<>();
    files.forEach(
        (file, bytes) -> {
          Problems problems = new Problems();
          read(bytes, domains, limits, problems);
          if (!problems.isEmpty()) {
            throw PolicyFileException.wrong(file, problems.sorted());
          }
        });
    return new EnvoyRules(domains, limits);
  }

  private static void read(
      byte[] bytes, Map<String, Node> domains, Limits limits, Problems problems) {
    ConfigNode root;
    try {
      root =
          YamlReader.read(
              StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString(),
              problems);
    } catch (CharacterCodingException notUtf8) {
      problems.add(1, "must be UTF-8");
      return;
    }
    if (!problems.isEmpty()) {
      return;
    }
    if (!(root instanceof ConfigNode.Mapping mapping)) {
      problems.add(1, "must have the key 'domain'");
      return;
    }
    Members members = new Members("", mapping, problems);
    members.only(WORDS);
    StringBuilder named = new StringBuilder();
    members.text("domain", named::append);
    String domain = named.toString();
    if (domain.isEmpty()) {
      members.tell(mapping.line(), "domain must not be empty");
      return;
    }
    Node top = new Node();
    if (domains.putIfAbsent(domain, top) != null) {
      members.tell(mapping.line(), "domain '%s': is there twice".formatted(domain));
    }
    ConfigNode.Member descriptors = members.get("descriptors");
    if (descriptors != null) {
      String path = "domain '%s'".formatted(domain);
      new DescriptorReader(domain, limits, problems).read(top, path, descriptors);
    }
  }

  static boolean same(SortedMap<Path, byte[]> one, SortedMap<Path, byte[]> other) {
    return List.copyOf(one.keySet()).equals(List.copyOf(other.keySet()))
        && one.entrySet().stream()
            .allMatch(file -> java.util.Arrays.equals(file.getValue(), other.get(file.getKey())));
  }
}
