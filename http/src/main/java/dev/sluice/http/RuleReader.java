package dev.sluice.http;

import dev.sluice.Limit;
import dev.sluice.http.LimitRule.RuleCheck;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads one rule from the map form of {@link LimitRules#parse}. */
final class RuleReader {
  private static final Set<String> OF_CHECK = Set.of("policy", "key", "cost", "on-missing");
  private static final Set<String> OF_RULE =
      Set.of("path", "methods", "exempt", "checks", "policy", "key", "cost", "on-missing");

  private final String subject;
  private final ClientAddress address;

  private RuleReader(String subject, ClientAddress address) {
    this.subject = subject;
    this.address = address;
  }

  static LimitRule read(Map<String, ?> rule, ClientAddress address) {
    Object path = rule.get("path");
    if (path == null) {
      throw new IllegalArgumentException("rule must have a path, got " + rule);
    }
    return new RuleReader("rule '%s'".formatted(path), address).read(rule, path.toString());
  }

  private LimitRule read(Map<String, ?> map, String path) {
    known(map, OF_RULE);
    LimitRule rule = LimitRule.path(path);
    Object methods = map.get("methods");
    if (methods != null) {
      rule = rule.methods(words(methods).toArray(String[]::new));
    }
    if (flag(map, "exempt")) {
      rule = rule.exempt();
    }
    Object checks = map.get("checks");
    if (checks == null) {
      boolean single = OF_CHECK.stream().anyMatch(map::containsKey);
      return single ? rule.check(check(map)) : rule;
    }
    for (Object check : elements(checks)) {
      if (!(check instanceof Map<?, ?> members)) {
        throw new IllegalArgumentException(
            "%s: checks must be maps, got %s".formatted(subject, check));
      }
      known(members, OF_CHECK);
      rule = rule.check(check(members));
    }
    return rule;
  }

  private RuleCheck check(Map<?, ?> map) {
    try {
      Object policy = map.get("policy");
      if (policy == null) {
        throw new IllegalArgumentException("a check must name its policy");
      }
      return new RuleCheck(
          policy.toString(),
          RequestKey.parse(text(map, "key", "address"), address),
          cost(text(map, "cost", "1")),
          MissingKey.parse(text(map, "on-missing", MissingKey.DENY.id())));
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(subject + ": " + wrong.getMessage(), wrong);
    }
  }

  private static long cost(String text) {
    if (!text.matches("[0-9]{1,15}")) {
      throw new IllegalArgumentException(
          "cost must be a whole number from 1 to %d, got '%s'".formatted(Limit.MOST_PERMITS, text));
    }
    return Long.parseLong(text);
  }

  private void known(Map<?, ?> map, Set<String> names) {
    for (Object name : map.keySet()) {
      if (!names.contains(String.valueOf(name))) {
        throw new IllegalArgumentException(
            "%s: '%s' must be one of %s".formatted(subject, name, new TreeSet<>(names)));
      }
    }
  }

  private boolean flag(Map<?, ?> map, String name) {
    String text = text(map, name, "false");
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              "%s: %s must be true or false, got '%s'".formatted(subject, name, text));
    };
  }

  private static String text(Map<?, ?> map, String name, String otherwise) {
    @Nullable Object value = map.get(name);
    return value == null ? otherwise : value.toString().strip();
  }

  private static List<String> words(Object value) {
    return value instanceof Collection<?> many
        ? many.stream().map(String::valueOf).toList()
        : Arrays.asList(value.toString().split(","));
  }

  /** Some binders hand over a list as a map from its positions. */
  private static Collection<?> elements(Object value) {
    if (value instanceof Map<?, ?> byPosition) {
      return byPosition.values();
    }
    return value instanceof Collection<?> many ? many : List.of(value);
  }
}
