package dev.sluice.http;

import java.text.Normalizer;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Makes one text of the many spellings of one identity, so that a spelling is not a fresh key. Each
 * includes {@link #TEXT}, which every extractor applies anyway.
 */
public enum Normaliser {
  /** Outer white space goes, Unicode is composed (NFC). */
  TEXT("text"),
  /** {@link #TEXT}, in lower case: for names that the application compares without case. */
  LOWER("lower"),
  /**
   * For e-mail addresses: compatibility forms are unified (NFKC), invisible characters and all
   * white space go, lower case. Dots and {@code +tags} stay: what they mean is the provider's
   * affair.
   */
  EMAIL("email");

  private final String id;

  Normaliser(String id) {
    this.id = id;
  }

  /** The word for this normaliser in rules. */
  public String id() {
    return id;
  }

  /**
   * Finds a normaliser by its word.
   *
   * @throws IllegalArgumentException if none has that word
   */
  public static Normaliser parse(String id) {
    for (Normaliser normaliser : values()) {
      if (normaliser.id.equals(id)) {
        return normaliser;
      }
    }
    throw new IllegalArgumentException(
        "normaliser must be one of %s, got '%s'"
            .formatted(
                Arrays.stream(values()).map(n -> n.id).collect(Collectors.joining(", ")), id));
  }

  /** The one spelling of a text. */
  public String apply(String text) {
    return switch (this) {
      case TEXT -> Normalizer.normalize(text, Normalizer.Form.NFC).strip();
      case LOWER -> TEXT.apply(text.toLowerCase(Locale.ROOT));
      case EMAIL -> {
        String unified = Normalizer.normalize(text, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
        yield TEXT.apply(unified.replaceAll("[\\s\\p{Z}\\p{Cf}\\p{Cc}]+", ""));
      }
    };
  }
}
