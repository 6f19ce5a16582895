package dev.sluice;

import java.util.List;
import java.util.Objects;

/**
 * An exception or a plan inside a policy: keys that match {@code pattern} get other limits, none at
 * all, or are always refused. {@code *} matches any characters, also none.
 */
public final class KeyRule {
  /** What happens to a key that matches. */
  public enum Kind {
    /** Other limits apply. */
    LIMITS,
    /** The key never passes. */
    DENY,
    /** The key always passes, and nothing is counted. */
    UNLIMITED
  }

  private final String pattern;
  private final Kind kind;
  private final List<Limit> limits;
  private final String[] parts;

  private KeyRule(String pattern, Kind kind, List<Limit> limits) {
    if (Objects.requireNonNull(pattern, "pattern").isEmpty()) {
      throw new IllegalArgumentException("key pattern must not be empty");
    }
    this.pattern = pattern;
    this.kind = kind;
    this.limits = limits;
    this.parts = pattern.split("\\*", -1);
  }

  /** Keys that match get these limits instead of the policy's. */
  public static KeyRule limits(String pattern, List<Limit> limits) {
    if (limits.isEmpty()) {
      throw new IllegalArgumentException(
          "key pattern '%s': limits must not be empty; use unlimited instead".formatted(pattern));
    }
    return new KeyRule(pattern, Kind.LIMITS, List.copyOf(limits));
  }

  /** Keys that match never pass. */
  public static KeyRule deny(String pattern) {
    return new KeyRule(pattern, Kind.DENY, List.of());
  }

  /** Keys that match always pass. */
  public static KeyRule unlimited(String pattern) {
    return new KeyRule(pattern, Kind.UNLIMITED, List.of());
  }

  /** The pattern as written. */
  public String pattern() {
    return pattern;
  }

  /** What happens to a key that matches. */
  public Kind kind() {
    return kind;
  }

  /** The limits of a key that matches; empty unless the kind is {@link Kind#LIMITS}. */
  public List<Limit> limits() {
    return limits;
  }

  /** Whether the key matches. Linear in the key's length for any pattern: no backtracking. */
  public boolean matches(String key) {
    String first = parts[0];
    if (parts.length == 1) {
      return key.equals(first);
    }
    String last = parts[parts.length - 1];
    if (key.length() < first.length() + last.length()
        || !key.startsWith(first)
        || !key.endsWith(last)) {
      return false;
    }
    int from = first.length();
    int end = key.length() - last.length();
    for (int i = 1; i < parts.length - 1; i++) {
      int found = key.indexOf(parts[i], from);
      if (found < 0 || found + parts[i].length() > end) {
        return false;
      }
      from = found + parts[i].length();
    }
    return true;
  }

  @Override
  public String toString() {
    return "'%s' -> %s".formatted(pattern, kind == Kind.LIMITS ? limits : kind);
  }
}
