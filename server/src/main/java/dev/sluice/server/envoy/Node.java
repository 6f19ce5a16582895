package dev.sluice.server.envoy;

import dev.sluice.KeyRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A level of the tree of descriptors: what may follow, and the rule of a descriptor that ends here.
 * Immutable once it has been read.
 */
final class Node {
  private record Entry(String key, String value) {}

  private record Wildcard(String key, KeyRule pattern, Node node) {
    boolean matches(String otherKey, String value) {
      return key.equals(otherKey) && pattern.matches(value);
    }
  }

  private final Map<Entry, Node> exact = new HashMap<>();
  private final List<Wildcard> wildcards = new ArrayList<>();
  private final Map<String, Node> bare = new HashMap<>();
  private final @Nullable String sharedPattern;
  private @Nullable Rule rule;

  /** A level that is reached by a value of its own, or by any. */
  Node() {
    this(null);
  }

  /** A level whose values share one counter, named by their pattern; null if they do not. */
  Node(@Nullable String sharedPattern) {
    this.sharedPattern = sharedPattern;
  }

  void rule(Rule given) {
    this.rule = given;
  }

  Optional<Rule> rule() {
    return Optional.ofNullable(rule);
  }

  /** Adds what follows on an entry; false if there is something already. */
  boolean add(String key, String value, Node node) {
    if (value.isEmpty()) {
      return bare.putIfAbsent(key, node) == null;
    }
    if (value.indexOf('*') < 0) {
      return exact.putIfAbsent(new Entry(key, value), node) == null;
    }
    boolean there =
        wildcards.stream().anyMatch(w -> w.key.equals(key) && w.pattern.pattern().equals(value));
    if (!there) {
      wildcards.add(new Wildcard(key, KeyRule.unlimited(value), node));
    }
    return !there;
  }

  /** What follows: the exact value, then the first pattern in the file's order, then any value. */
  Optional<Node> next(String key, String value) {
    Node found = exact.get(new Entry(key, value));
    if (found == null) {
      for (Wildcard wildcard : wildcards) {
        if (wildcard.matches(key, value)) {
          return Optional.of(wildcard.node);
        }
      }
      found = bare.get(key);
    }
    return Optional.ofNullable(found);
  }

  /** Writes the entry that led here. */
  void write(String key, String value, CounterKey counter) {
    if (sharedPattern == null) {
      counter.entry(key, value);
    } else {
      counter.shared(key, sharedPattern);
    }
  }
}
