package dev.sluice.http;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What happens to a request that does not say who it is. It never just passes unseen. */
public enum MissingKey {
  /** It is refused as a bad request (400). */
  DENY,
  /** It shares one key with all others that do not say. */
  ANONYMOUS,
  /** This check is left out; the other checks of the rule still count. */
  SKIP;

  /** The key of those that do not say. No other key is without a colon, but {@code all}. */
  static final String ANONYMOUS_KEY = "anonymous";

  /** The word for this choice in rules. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Finds a choice by its word.
   *
   * @throws IllegalArgumentException if there is no such choice
   */
  public static MissingKey parse(String id) {
    for (MissingKey choice : values()) {
      if (choice.id().equals(id)) {
        return choice;
      }
    }
    throw new IllegalArgumentException(
        "on-missing must be one of %s, got '%s'"
            .formatted(
                Arrays.stream(values()).map(MissingKey::id).collect(Collectors.joining(", ")), id));
  }
}
