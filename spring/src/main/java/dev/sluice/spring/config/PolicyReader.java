package dev.sluice.spring.config;

import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.spring.config.PolicyProperties.KeyProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes policies of their properties. */
public final class PolicyReader {
  private static final String ACTION =
      "Correct it there; docs/spring.md of Sluice shows the words of every limit";

  private final KeyPatterns patterns;

  /**
   * A reader.
   *
   * @param patterns finds the keys of a policy as they were written
   */
  public PolicyReader(KeyPatterns patterns) {
    this.patterns = patterns;
  }

  /**
   * All policies, in the order of the properties.
   *
   * @throws InvalidConfigurationException at the first that makes no sense
   */
  public List<Policy> read(Map<String, PolicyProperties> policies) {
    List<Policy> read = new ArrayList<>();
    policies.forEach((name, properties) -> read.add(read(name, properties)));
    return read;
  }

  private Policy read(String name, PolicyProperties said) {
    String property = "sluice.policies." + name;
    List<Limit> limits = limits(property, said.limits());
    List<KeyRule> rules = new ArrayList<>();
    patterns.of(name).forEach((pattern, key) -> rules.add(rule(property + ".keys", pattern, key)));
    try {
      Policy.Builder policy =
          Policy.named(name)
              .limits(limits)
              .onStoreFailure(said.onStoreFailure())
              .nodes(said.nodes())
              .shadow(said.shadow())
              .tier(said.tier());
      rules.forEach(policy::key);
      if (said.maxLeased() != null) {
        policy.maxLeased(said.maxLeased());
      }
      return (said.deadline() == null ? policy : policy.deadline(said.deadline())).build();
    } catch (IllegalArgumentException wrong) {
      throw invalid(property, wrong);
    }
  }

  private static List<Limit> limits(String property, List<LimitProperties> said) {
    List<Limit> limits = new ArrayList<>();
    for (int i = 0; i < said.size(); i++) {
      try {
        limits.add(LimitReader.read(said.get(i)));
      } catch (IllegalArgumentException wrong) {
        throw invalid(property + ".limits[" + i + "]", wrong);
      }
    }
    return limits;
  }

  private static KeyRule rule(String keys, String pattern, KeyProperties said) {
    String property = "%s[%s]".formatted(keys, pattern);
    List<Limit> limits = limits(property, said.limits());
    int choices = (said.deny() ? 1 : 0) + (said.unlimited() ? 1 : 0) + (limits.isEmpty() ? 0 : 1);
    if (choices != 1) {
      throw invalid(
          property,
          new IllegalArgumentException(
              "key pattern '%s': must have exactly one of limits, deny and unlimited, got %d"
                  .formatted(pattern, choices)));
    }
    if (said.deny()) {
      return KeyRule.deny(pattern);
    }
    return said.unlimited() ? KeyRule.unlimited(pattern) : KeyRule.limits(pattern, limits);
  }

  private static InvalidConfigurationException invalid(
      String property, IllegalArgumentException wrong) {
    return new InvalidConfigurationException(
        property, String.valueOf(wrong.getMessage()), ACTION, wrong);
  }
}
